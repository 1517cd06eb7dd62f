// JSON value -> protobuf message, as Go writes it: fields in the order of their numbers, maps in the order of their
// keys, and empty values too unless they are pointers. Written back to front (wire-writer.ts).

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { mistyped, within } from "./encode-faults.ts";
import type { Message, MessageField, Scalar } from "./message.ts";
import {
  BYTES,
  FIXED64,
  VARINT,
  type WireWriter,
  writeBytes,
  writeDouble,
  writeText,
  writeVarint,
  writtenLength,
} from "./wire-writer.ts";

/** Node accepts any alphabet and skips unknown characters; Go accepts only this. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** A map is a list of entries, and these are the fields of an entry. */
const MAP_KEY = 1;
const MAP_VALUE = 2;

/**
 * Fault `malformed` with the path when a value is not of its field's type. Fields the message does not know are left
 * out.
 */
export function encodeMessage(writer: WireWriter, message: Message, value: Json | undefined): void {
  const fields = message.form === undefined ? objectOf(value, message) : message.form.write(value);
  for (let i = message.fields.length - 1; i >= 0; i -= 1) {
    const field = message.fields[i];
    if (field !== undefined) encodeField(writer, field, fields);
  }
}

function objectOf(value: Json | undefined, message: Message): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw mistyped(value, message.name);
  return value;
}

function encodeField(writer: WireWriter, field: MessageField, fields: JsonObject): void {
  if (field.name === undefined) {
    encodeNested(writer, field, fields);
    return;
  }
  try {
    encodeNamed(writer, field, fields[field.name] ?? undefined);
  } catch (error) {
    throw within(error, `.${field.name}`);
  }
}

function encodeNamed(writer: WireWriter, field: MessageField, value: Json | undefined): void {
  if (field.shape === "list") encodeList(writer, field, value);
  else if (field.shape === "map") encodeMap(writer, field, value);
  else if (value !== undefined || isWrittenEmpty(field)) encodeValue(writer, field, value);
}

/** Absent bytes are nil in Go, and nil is not written. */
function isWrittenEmpty({ presence, scalar }: MessageField): boolean {
  return presence !== "pointer" && scalar !== "bytes";
}

function encodeList(writer: WireWriter, field: MessageField, value: Json | undefined): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw mistyped(value, "list");
  for (let i = value.length - 1; i >= 0; i -= 1) encodeValue(writer, field, value[i] as Json);
}

function encodeMap(writer: WireWriter, field: MessageField, value: Json | undefined): void {
  if (value === undefined) return;
  if (!isJsonObject(value)) throw mistyped(value, "map");
  for (const key of Object.keys(value).sort().reverse()) {
    const before = writtenLength(writer);
    encodeValue(writer, field, value[key], MAP_VALUE);
    writeVarint(writer, writeText(writer, key));
    writeVarint(writer, (MAP_KEY << 3) | BYTES);
    writeVarint(writer, writtenLength(writer) - before);
    writeVarint(writer, (field.number << 3) | BYTES);
  }
}

function encodeValue(writer: WireWriter, field: MessageField, value: Json | undefined, number = field.number): void {
  if (field.scalar === undefined) encodeNested(writer, field, value, number);
  else writeVarint(writer, (number << 3) | SCALARS[field.scalar](writer, value ?? undefined));
}

function encodeNested(writer: WireWriter, field: MessageField, value: Json | undefined, number = field.number): void {
  const before = writtenLength(writer);
  encodeMessage(writer, field.message(), value);
  writeVarint(writer, writtenLength(writer) - before);
  writeVarint(writer, (number << 3) | BYTES);
}

/** Each writes a value, or the empty value, and returns its wire type. */
const SCALARS: Readonly<Record<Scalar, (writer: WireWriter, value: Json | undefined) => number>> = {
  string: (writer, value = "") => {
    if (typeof value !== "string") throw mistyped(value, "string");
    writeVarint(writer, writeText(writer, value));
    return BYTES;
  },
  bytes: (writer, value = "") => {
    const bytes = bytesOf(value);
    writeBytes(writer, bytes);
    writeVarint(writer, bytes.length);
    return BYTES;
  },
  json: (writer, value = null) => {
    writeVarint(writer, writeText(writer, JSON.stringify(value)));
    return BYTES;
  },
  bool: (writer, value = false) => {
    if (typeof value !== "boolean") throw mistyped(value, "bool");
    writeVarint(writer, value ? 1 : 0);
    return VARINT;
  },
  int32: (writer, value = 0) => {
    if (typeof value !== "number" || (value | 0) !== value) throw mistyped(value, "int32");
    writeVarint(writer, value);
    return VARINT;
  },
  int64: (writer, value = 0) => {
    if (typeof value !== "number" || !Number.isSafeInteger(value)) throw mistyped(value, "int64");
    writeVarint(writer, value);
    return VARINT;
  },
  double: (writer, value = 0) => {
    if (typeof value !== "number") throw mistyped(value, "float64");
    writeDouble(writer, value);
    return FIXED64;
  },
};

function bytesOf(value: Json): Uint8Array {
  if (typeof value !== "string" || value.length % 4 !== 0 || !BASE64.test(value)) throw mistyped(value, "[]uint8");
  return Buffer.from(value, "base64");
}
