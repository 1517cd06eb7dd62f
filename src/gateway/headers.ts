// The headers of a request on its way through. What concerns one connection stays there (RFC 9110 §7.6.1), and
// `X-Remote-*` is never taken from a client: on the connection that the server behind trusts, these headers are
// identities. Pure; lists of names and values in turn, as they stand on the wire, so that nothing is joined, reordered
// or lost.

import type { UserInfo } from "../api/access/index.ts";
import { encodeUtf8 } from "../kernel/bytes/index.ts";

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Answered by this server, which has the whole body already.
  "expect",
]);

/** kubeadm's names for them, and by far the most used ones. */
const IDENTITY_PREFIX = "x-remote-";
const FORWARDED_FOR = "x-forwarded-for";
const FORWARDED_HOST = "x-forwarded-host";

/** The name that the client called goes on beside the server's own, by which its certificate is checked. */
const ALWAYS = [...OF_ONE_CONNECTION, FORWARDED_HOST];
const PASSED: ReadonlySet<string> = new Set(ALWAYS);
const SIGNED: ReadonlySet<string> = new Set([...ALWAYS, "accept-encoding"]);
/** A credential that the gateway has judged itself does not go on. */
const SPOKEN_FOR: ReadonlySet<string> = new Set([...ALWAYS, "authorization"]);
const SPOKEN_FOR_SIGNED: ReadonlySet<string> = new Set([...SIGNED, ...SPOKEN_FOR]);

interface Rewriting {
  readonly remoteAddress: string;
  /** In whose name; absent: in that of whatever credential the request carries. */
  readonly user?: UserInfo | undefined;
  /** The answer is to be signed, so it must come unpacked. */
  readonly isSigned?: boolean;
  /** Beginnings of further names, in lower case, by which the server behind knows identities. */
  readonly identityHeaders?: readonly string[] | undefined;
}

export function rewriteHeaders(raw: readonly string[], rewriting: Rewriting): string[] {
  const { user, remoteAddress } = rewriting;
  const dropped = droppedFor(rewriting);
  const named = namedByConnection(raw);
  const headers: string[] = [];
  let forwardedFor = remoteAddress;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [header = "", value = ""] = [raw[at], raw[at + 1]];
    const name = header.toLowerCase();
    if (dropped.has(name) || isIdentity(name, rewriting) || named?.has(name) === true) continue;
    if (name === FORWARDED_FOR) forwardedFor = `${value}, ${forwardedFor}`;
    else headers.push(name === "host" ? FORWARDED_HOST : header, value);
  }
  headers.push(FORWARDED_FOR, forwardedFor);
  if (user !== undefined) pushIdentity(headers, user);
  return headers;
}

function isIdentity(name: string, { identityHeaders }: Rewriting): boolean {
  return name.startsWith(IDENTITY_PREFIX) || identityHeaders?.some((beginning) => name.startsWith(beginning)) === true;
}

function droppedFor({ user, isSigned = false }: Rewriting): ReadonlySet<string> {
  if (user === undefined) return isSigned ? SIGNED : PASSED;
  return isSigned ? SPOKEN_FOR_SIGNED : SPOKEN_FOR;
}

/** What `Connection` names is of one connection too. Undefined in the usual case, where it names nothing but itself. */
function namedByConnection(raw: readonly string[]): ReadonlySet<string> | undefined {
  let names: Set<string> | undefined;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== "connection") continue;
    const value = (raw[at + 1] ?? "").toLowerCase();
    if (value === "keep-alive" || value === "close") continue;
    names ??= new Set();
    for (const word of value.split(",")) names.add(word.trim());
  }
  return names;
}

/**
 * Front-proxy headers as kube-apiserver reads them with --requestheader-*: one line a group, keys of extra
 * percent-encoded.
 */
function pushIdentity(headers: string[], { username, uid, groups, extra = {} }: UserInfo): void {
  headers.push("X-Remote-User", onWire(username));
  if (uid !== undefined) headers.push("X-Remote-Uid", onWire(uid));
  for (const group of groups) if (group !== "") headers.push("X-Remote-Group", onWire(group));
  for (const [key, values] of Object.entries(extra)) {
    const name = `X-Remote-Extra-${encodeURIComponent(key)}`;
    for (const value of values) headers.push(name, onWire(value));
  }
}

/** Go takes the bytes of a header for UTF-8, Node writes each character as one byte. */
function onWire(value: string): string {
  let text = "";
  for (const byte of encodeUtf8(value)) text += String.fromCharCode(byte);
  return text;
}

/**
 * Whether a header brings it to the other side unchanged: no control characters (a line break would begin the next
 * header) and nothing at either end that every HTTP reader cuts off.
 */
export function isWritable(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return !/[\u0000-\u001f\u007f]|^ | $/.test(value);
}

/** The headers of an answer on their way back. */
export function answerHeaders(raw: readonly (Buffer | string)[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = text(raw[at]);
    if (!OF_ONE_CONNECTION.has(name.toLowerCase())) headers.push(name, text(raw[at + 1]));
  }
  return headers;
}

function text(part: Buffer | string | undefined): string {
  return typeof part === "string" ? part : (part?.toString("latin1") ?? "");
}
