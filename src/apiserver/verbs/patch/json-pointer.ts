// JSON pointers, RFC 6901: `/metadata/labels/a~1b`.

import { type Json, MAX_JSON_DEPTH } from "../../../kernel/json/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";

export type Pointer = readonly string[];

export function parsePointer(text: Json | undefined): Pointer {
  if (typeof text !== "string" || (text !== "" && !text.startsWith("/"))) {
    throw new Fault("malformed", "a JSON patch path must be a JSON pointer");
  }
  if (text === "") return [];
  const tokens = text.slice(1).split("/").map(parseToken);
  if (tokens.length > MAX_JSON_DEPTH) throw new Fault("malformed", "a JSON patch path is too deep");
  return tokens;
}

/** The key `__proto__` is refused here as it is in bodies: checkJson says why. */
function parseToken(token: string): string {
  if (/~(?![01])/.test(token)) throw new Fault("malformed", "a JSON patch path has a bad escape");
  const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
  if (key === "__proto__") throw new Fault("malformed", 'a JSON patch path may not contain the key "__proto__"');
  return key;
}
