// Protobuf message -> the JSON that Go would write for it: empty values of omitted fields are dropped, those of
// pointers and of always present fields are kept. A field that comes twice is merged (message), appended (list) or the
// last one counts.

import { countValues, type Json, type JsonObject, parseJson } from "../../kernel/json/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Message, MessageField, Scalar } from "./message.ts";
import {
  type Cursor,
  countValue,
  enter,
  leave,
  malformed,
  readBool,
  readBytes,
  readDouble,
  readInt32,
  readInt64,
  readTag,
  readText,
  skipValue,
} from "./wire-reader.ts";
import { BYTES, FIXED64, VARINT } from "./wire-writer.ts";

const KEY_TAG = (1 << 3) | BYTES;
const VALUE_NUMBER = 2;

type Fields = Record<string, Json>;

/** Reads up to the cursor's end into `into`. Fault `malformed` or `limit-exceeded`; unknown fields are passed over. */
export function decodeMessage(cursor: Cursor, message: Message, into: Fields = {}): JsonObject {
  while (cursor.at < cursor.end) {
    const tag = readTag(cursor);
    const field = message.byNumber.get(tag >>> 3);
    if (field === undefined) skipValue(cursor, tag & 7);
    else decodeField(cursor, field, tag & 7, into);
  }
  return into;
}

function decodeField(cursor: Cursor, field: MessageField, wireType: number, into: Fields): void {
  const { name, shape } = field;
  if (shape === "list" && name !== undefined) {
    decodeItems(cursor, field, wireType, ownOr(into, name, []));
    return;
  }
  expectWireType(field, wireType);
  if (name === undefined) decodeNested(cursor, field.message(), into);
  else if (shape === "map") decodeEntry(cursor, field, ownOr(into, name, {}));
  else decodeNamed(cursor, field, name, into);
}

/** The value of an earlier occurrence of the field, or a new one. */
function ownOr<T extends Json>(into: Fields, name: string, fresh: T): T {
  const begun = (into[name] as T | undefined) ?? fresh;
  into[name] = begun;
  return begun;
}

function expectWireType(field: MessageField, wireType: number): void {
  const wanted = field.scalar === undefined || field.shape === "map" ? BYTES : WIRE_TYPES[field.scalar];
  if (wireType !== wanted) throw malformed(`field ${field.name ?? field.number} has wire type ${wireType}`);
}

function decodeNamed(cursor: Cursor, field: MessageField, name: string, into: Fields): void {
  const { scalar, presence } = field;
  const value = scalar === undefined ? decodeValue(cursor, field, into[name]) : READ[scalar](cursor);
  // Go leaves out empty scalars, never empty objects.
  const isDropped = scalar !== undefined && presence === "omitted" && isEmpty(value);
  if (value !== undefined && !isDropped) into[name] = value;
  else if (Object.hasOwn(into, name)) Reflect.deleteProperty(into, name);
}

function isEmpty(value: Json | undefined): boolean {
  return value === "" || value === 0 || value === false;
}

/** A message as its JSON; a second occurrence is merged into the first. */
function decodeValue(cursor: Cursor, field: MessageField, begun?: Json): Json | undefined {
  countValue(cursor);
  const message = field.message();
  const isPlain = message.form === undefined;
  const fields = decodeNested(cursor, message, isPlain && begun !== undefined ? { ...(begun as Fields) } : {});
  return message.form === undefined ? fields : message.form.read(fields);
}

function decodeNested(cursor: Cursor, message: Message, into: Fields): JsonObject {
  const outerEnd = enter(cursor);
  decodeMessage(cursor, message, into);
  leave(cursor, outerEnd);
  return into;
}

/** Numbers may be packed or not; both are accepted. */
function decodeItems(cursor: Cursor, field: MessageField, wireType: number, items: Json[]): void {
  const { scalar } = field;
  const isPacked = scalar !== undefined && wireType === BYTES && WIRE_TYPES[scalar] !== BYTES;
  if (!isPacked) {
    expectWireType(field, wireType);
    items.push(decodeItem(cursor, field));
    return;
  }
  const outerEnd = enter(cursor);
  while (cursor.at < cursor.end) items.push(decodeItem(cursor, field));
  leave(cursor, outerEnd);
}

function decodeItem(cursor: Cursor, field: MessageField): Json {
  if (field.scalar === undefined) return decodeValue(cursor, field) ?? null;
  countValue(cursor);
  return READ[field.scalar](cursor);
}

/** One entry of a map: a message of key and value, each of which may be left out when it is empty. */
function decodeEntry(cursor: Cursor, field: MessageField, into: Fields): void {
  let key = "";
  let value: Json | undefined;
  countValue(cursor);
  const outerEnd = enter(cursor);
  while (cursor.at < cursor.end) {
    const tag = readTag(cursor);
    if (tag === KEY_TAG) key = readText(cursor);
    else if (tag >>> 3 === VALUE_NUMBER) value = decodeEntryValue(cursor, field, tag & 7);
    else skipValue(cursor, tag & 7);
  }
  leave(cursor, outerEnd);
  // Assigning this key would change the prototype; JSON bodies may not have it either.
  if (key === "__proto__") throw malformed('a map may not contain the key "__proto__"');
  into[key] = value ?? emptyValue(field);
}

function decodeEntryValue(cursor: Cursor, field: MessageField, wireType: number): Json | undefined {
  const { scalar } = field;
  const wanted = scalar === undefined ? BYTES : WIRE_TYPES[scalar];
  if (wireType !== wanted) throw malformed(`field ${field.name ?? field.number} has a value of wire type ${wireType}`);
  return scalar === undefined ? decodeValue(cursor, field) : READ[scalar](cursor);
}

function emptyValue({ scalar, message }: MessageField): Json {
  if (scalar === undefined) return message().form?.read({}) ?? {};
  return scalar === "string" || scalar === "bytes" ? "" : 0;
}

const WIRE_TYPES: Readonly<Record<Scalar, number>> = {
  string: BYTES,
  bytes: BYTES,
  json: BYTES,
  bool: VARINT,
  int32: VARINT,
  int64: VARINT,
  double: FIXED64,
};

const READ: Readonly<Record<Scalar, (cursor: Cursor) => Json>> = {
  string: readText,
  bytes: (cursor) => base64Of(readBytes(cursor)),
  json: (cursor) => readJson(cursor),
  bool: readBool,
  int32: readInt32,
  int64: readInt64,
  double: (cursor) => readFinite(cursor),
};

function base64Of({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("base64");
}

/** JSON has no infinity, and JavaScript writes negative zero as 0. */
function readFinite(cursor: Cursor): number {
  const value = readDouble(cursor);
  if (!Number.isFinite(value)) throw malformed("a number is not finite");
  return value === 0 ? 0 : value;
}

function readJson(cursor: Cursor): Json {
  const bytes = readBytes(cursor);
  countValue(cursor, countValues(bytes));
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw malformed("what it embeds is not valid JSON");
  }
}
