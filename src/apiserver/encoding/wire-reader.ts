// Protobuf bytes -> values, strictly: what is cut off, overlong, of another wire type or not UTF-8 is a Fault. One
// cursor walks the bytes; a message inside another is the same cursor with a nearer end.
// protobuf.dev/programming-guides/encoding.

import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { MAX_JSON_VALUES } from "../../kernel/json/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { BYTES, FIXED64, VARINT } from "./wire-writer.ts";

const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

const TWO_TO_32 = 0x1_0000_0000;
/** Up to this length appending characters is faster than a call of the decoder. */
const SHORT_TEXT = 48;
/** Field numbers have 29 bits. */
const MAX_TAG = 0xffff_ffff;
/** The tenth and last byte of a varint has one bit. */
const LAST_SHIFT = 63;
/**
 * The deepest Kubernetes message (schemas in custom resource definitions) stays below sixty; JSON bodies have the same
 * limit.
 */
export const MAX_MESSAGE_DEPTH = 200;
/**
 * Messages, list items and map entries of one body: two bytes on the wire can be an object of several hundred in
 * memory.
 */
export const MAX_VALUES = MAX_JSON_VALUES;

export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  depth: number;
  values: number;
}

export function createCursor(bytes: Uint8Array): Cursor {
  return { bytes, at: 0, end: bytes.length, depth: 0, values: 0 };
}

export function malformed(what: string): Fault {
  return new Fault("malformed", `the body of the request is not valid protobuf: ${what}`);
}

/** Called for everything that takes memory of its own. */
export function countValue(cursor: Cursor, values = 1): void {
  cursor.values += values;
  if (cursor.values > MAX_VALUES)
    throw new Fault("limit-exceeded", `the body of the request holds more than ${MAX_VALUES} values`);
}

function readByte(cursor: Cursor): number {
  const byte = cursor.at < cursor.end ? cursor.bytes[cursor.at] : undefined;
  if (byte === undefined) throw malformed("it is cut off");
  cursor.at += 1;
  return byte;
}

/** The 64 bits of a varint as two unsigned halves. */
function readHalves(cursor: Cursor): readonly [low: number, high: number] {
  let low = 0;
  let high = 0;
  for (let shift = 0; shift <= LAST_SHIFT; shift += 7) {
    const byte = readByte(cursor);
    const bits = byte & 0x7f;
    if (shift < 32) low |= bits << shift;
    // Four bits of the fifth byte belong to the lower half, the other three begin the upper one.
    high |= shift < 28 ? 0 : shift === 28 ? bits >>> 4 : bits << (shift - 32);
    if (byte < 0x80 && (shift < LAST_SHIFT || bits < 2)) return [low >>> 0, high >>> 0];
  }
  throw malformed("a number is longer than 64 bits");
}

/** A tag or a length. */
export function readVarint(cursor: Cursor): number {
  const small = readSmall(cursor);
  if (small !== undefined) return small;
  const [low, high] = readHalves(cursor);
  return high * TWO_TO_32 + low;
}

/** Most numbers are one byte long. */
function readSmall(cursor: Cursor): number | undefined {
  const first = cursor.at < cursor.end ? (cursor.bytes[cursor.at] ?? 0x80) : 0x80;
  if (first > 0x7f) return undefined;
  cursor.at += 1;
  return first;
}

/** Field number and wire type: `tag >>> 3` and `tag & 7`. */
export function readTag(cursor: Cursor): number {
  const tag = readVarint(cursor);
  if (tag < 8 || tag > MAX_TAG) throw malformed("a field has an impossible number");
  return tag;
}

/** differs from upstream: a number that JSON clients could not read back exactly is refused. */
export function readInt64(cursor: Cursor): number {
  const small = readSmall(cursor);
  if (small !== undefined) return small;
  const [low, high] = readHalves(cursor);
  const value = (high | 0) * TWO_TO_32 + low;
  if (!Number.isSafeInteger(value)) throw malformed("a whole number is beyond 53 bits");
  return value;
}

/** The lower half counts, as in Go. */
export function readInt32(cursor: Cursor): number {
  return readSmall(cursor) ?? readHalves(cursor)[0] | 0;
}

export function readBool(cursor: Cursor): boolean {
  const [low, high] = readHalves(cursor);
  return low !== 0 || high !== 0;
}

export function readDouble(cursor: Cursor): number {
  const bytes = take(cursor, 8);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}

/** A view of the bytes, not a copy. */
export function readBytes(cursor: Cursor): Uint8Array {
  return take(cursor, readVarint(cursor));
}

export function readText(cursor: Cursor): string {
  const start = cursor.at;
  const length = readVarint(cursor);
  const short = length <= SHORT_TEXT ? readAscii(cursor, length) : undefined;
  if (short !== undefined) return short;
  cursor.at = start;
  try {
    return parseUtf8(readBytes(cursor));
  } catch (error) {
    throw isFault(error) ? malformed("a string is cut off or not UTF-8") : error;
  }
}

/** Undefined when it is cut off or has other characters. */
function readAscii(cursor: Cursor, length: number): string | undefined {
  const { bytes, at, end } = cursor;
  if (length > end - at) return undefined;
  let text = "";
  for (let i = at; i < at + length; i += 1) {
    const byte = bytes[i] ?? 0xff;
    if (byte > 0x7f) return undefined;
    text += String.fromCharCode(byte);
  }
  cursor.at = at + length;
  return text;
}

function take(cursor: Cursor, length: number): Uint8Array {
  if (length > cursor.end - cursor.at) throw malformed("it is cut off");
  const start = cursor.at;
  cursor.at += length;
  return cursor.bytes.subarray(start, cursor.at);
}

/** Narrows the cursor to the message that begins here; `leave` with the result when it is read to its end. */
export function enter(cursor: Cursor): number {
  const length = readVarint(cursor);
  const outerEnd = cursor.end;
  if (length > outerEnd - cursor.at) throw malformed("it is cut off");
  if (cursor.depth === MAX_MESSAGE_DEPTH) throw malformed(`it is nested deeper than ${MAX_MESSAGE_DEPTH} levels`);
  cursor.end = cursor.at + length;
  cursor.depth += 1;
  return outerEnd;
}

export function leave(cursor: Cursor, outerEnd: number): void {
  cursor.depth -= 1;
  cursor.end = outerEnd;
}

/** Skips the value of an unknown field, which a newer client may have sent. */
export function skipValue(cursor: Cursor, wireType: number): void {
  const skip = SKIP[wireType];
  if (skip === undefined) throw malformed(`there is no wire type ${wireType} here`);
  skip(cursor);
}

const SKIP: Readonly<Record<number, (cursor: Cursor) => void>> = {
  [VARINT]: readHalves,
  [FIXED64]: (cursor) => take(cursor, 8),
  [BYTES]: readBytes,
  [FIXED32]: (cursor) => take(cursor, 4),
  [START_GROUP]: (cursor) => skipGroup(cursor),
};

/** Groups are deprecated in protobuf, but a reader must find their end. */
function skipGroup(cursor: Cursor): void {
  let open = 1;
  while (open > 0) {
    const wireType = readVarint(cursor) & 7;
    if (wireType === START_GROUP) open += 1;
    else if (wireType === END_GROUP) open -= 1;
    else skipValue(cursor, wireType);
  }
}
