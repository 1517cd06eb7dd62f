// Untrusted bytes -> a JSON value with limits on depth and without keys that JavaScript treats specially.

import { parseUtf8 } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";

/** The deepest Kubernetes objects (schemas in custom resource definitions) stay below sixty. */
export const MAX_JSON_DEPTH = 200;

/**
 * Members and items of one document in sum. Every stage looks at each of them, and no other request is served
 * meanwhile: at some microseconds apiece a body of 3 MiB could hold the server for seconds. The largest objects people
 * write (custom resource definitions of large operators, reports of scanners) hold fifteen thousand.
 */
export const MAX_JSON_VALUES = 30_000;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fault `malformed` for anything but one JSON document, `limit-exceeded` for one with too many values. */
export function parseJson(bytes: Uint8Array): Json {
  let value: Json;
  // Parsing a million empty lists takes longer than counting them.
  if (bytes.length > 2 * MAX_JSON_VALUES && countValues(bytes) > MAX_JSON_VALUES) throw tooManyValues();
  try {
    value = JSON.parse(parseUtf8(bytes)) as Json;
  } catch (cause) {
    // The parser's own message quotes the input, and the input may hold a secret.
    throw new Fault("malformed", "the body of the request is not valid JSON", { cause });
  }
  checkJson(value);
  return value;
}

/**
 * One for the whole, one for each container that is not empty, one for each comma; text that is not JSON is counted
 * somehow.
 */
export function countValues(bytes: Uint8Array): number {
  let values = 1;
  let hasOpened = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte <= SPACE) continue;
    if (hasOpened && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET) values += 1;
    hasOpened = byte === OPEN_BRACE || byte === OPEN_BRACKET;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values += 1;
  }
  return values;
}

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Where the string that begins at `start` ends: its closing quote, or the end of all. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function tooManyValues(): Fault {
  return new Fault(
    "limit-exceeded",
    `Request entity too large: an object may hold ${MAX_JSON_VALUES} values (members and items of all its ` +
      "maps and lists)",
  );
}

interface Pending {
  readonly value: object;
  readonly depth: number;
}

/**
 * Bounds the depth and the number of values. differs from upstream: a key `__proto__` is refused, although a ConfigMap
 * may have one there. Copying such a key by assignment would change the prototype of an object instead of adding a
 * field.
 */
export function checkJson(root: Json): void {
  const pending: Pending[] = [];
  let values = 0;
  const look = (value: Json, depth: number): void => {
    values += 1;
    if (values > MAX_JSON_VALUES) throw tooManyValues();
    if (typeof value === "object" && value !== null) pending.push({ value, depth });
  };
  look(root, 1);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > MAX_JSON_DEPTH) throw new Fault("malformed", `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
    if (Object.hasOwn(value, "__proto__")) throw new Fault("malformed", 'JSON may not contain the key "__proto__"');
    for (const inner of Array.isArray(value) ? value : Object.values(value)) look(inner, depth + 1);
  }
}

// Equality of JSON values, in which the order of keys does not matter.

export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(other, key) &&
      isSameJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}
