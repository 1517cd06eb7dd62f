// The file with the headers that a document's URL needs, one `Name: value` a line, as curl's `-H @file`. Pure. Its values
// are secrets: no message repeats one.

import { Fault } from "../../../kernel/outcome/index.ts";

/** An Authorization header with a JWT has some KiB. */
const MAX_CHARACTERS = 16_384;
const MAX_HEADERS = 16;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** They belong to the connection, and a second one would let two readers disagree about where a message ends. */
const RESERVED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** Names in lower case. Empty lines and lines that begin with # are skipped. Fault `malformed` or `limit-exceeded`. */
export function parseHeaderFile(text: string): Readonly<Record<string, string>> {
  if (text.length > MAX_CHARACTERS) {
    throw new Fault("limit-exceeded", `header file is longer than ${MAX_CHARACTERS} characters`);
  }
  const headers = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [name, value] = parseLine(line, index + 1);
    if (headers.has(name)) throw new Fault("malformed", `header file has ${name} twice`);
    headers.set(name, value);
  }
  if (headers.size > MAX_HEADERS) throw new Fault("limit-exceeded", `header file has more than ${MAX_HEADERS} headers`);
  return Object.fromEntries(headers);
}

function parseLine(line: string, number: number): readonly [string, string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0));
  const value = line.slice(colon + 1).trim();
  if (colon < 0 || !NAME.test(name) || !VALUE.test(value)) {
    throw new Fault("malformed", `line ${number} of the header file is not of the form \`Name: value\``);
  }
  const lower = name.toLowerCase();
  if (RESERVED.has(lower))
    throw new Fault("malformed", `line ${number} of the header file sets ${lower}, which is ours`);
  return [lower, value];
}
