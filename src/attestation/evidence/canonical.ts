// Canonical JSON (RFC 8785, narrowed): sorted keys, no white space, printable ASCII, integers from 0 to 2^53 − 1, no
// null, six levels. A reader parses, writes again and compares: that one comparison refuses duplicate and unsorted
// keys, needless escapes, `1.0`, `-0`, large numbers and trailing bytes. What is in it is then the schema's question.

import { encodeUtf8, equalBytes, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { MAX_JSON_DEPTH } from "./limits.ts";

export type CanonicalValue = string | number | boolean | readonly CanonicalValue[] | CanonicalObject;
export interface CanonicalObject {
  readonly [key: string]: CanonicalValue;
}

const PRINTABLE = /^[\x20-\x7e]*$/;

export function canon(value: CanonicalValue): string {
  return write(value, 1);
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return writeString(value);
    case "number":
      return writeNumber(value);
    case "boolean":
      return String(value);
    case "object":
      if (value !== null) return writeComposite(value, depth);
  }
  throw new Fault("malformed", "canonical JSON must have only strings, integers, booleans, lists and objects");
}

function writeString(text: string): string {
  if (!PRINTABLE.test(text)) throw new Fault("malformed", "canonical JSON must have only printable ASCII");
  return JSON.stringify(text);
}

function writeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Fault("malformed", "canonical JSON must have only integers from 0 to 2^53 - 1");
  return String(value);
}

function writeComposite(value: object, depth: number): string {
  if (depth > MAX_JSON_DEPTH) throw new Fault("limit-exceeded", `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  const keys = Object.keys(value).sort();
  const members = new Map(Object.entries(value));
  return `{${keys.map((key) => `${writeString(key)}:${write(members.get(key), depth + 1)}`).join(",")}}`;
}

export function encodeCanonical(value: CanonicalValue): Uint8Array {
  return encodeUtf8(canon(value));
}

export function parseCanonical(bytes: Uint8Array): CanonicalValue {
  const value = parseJson(parseUtf8(bytes));
  if (!equalBytes(encodeCanonical(value), bytes))
    throw new Fault("malformed", "JSON must be canonical: sorted keys, each once, no white space, no needless escapes");
  return value;
}

function parseJson(text: string): CanonicalValue {
  try {
    return JSON.parse(text) as CanonicalValue;
  } catch (cause) {
    throw new Fault("malformed", "text must be JSON", { cause });
  }
}
