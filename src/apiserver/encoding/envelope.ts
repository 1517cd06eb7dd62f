// Protobuf bodies: four magic bytes and a message Unknown that names the kind of its content. Watch events have their
// length in front. k8s.io/apimachinery/pkg/runtime/serializer/protobuf.

import type { Json, JsonObject } from "../../kernel/json/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { decodeMessage } from "./decode-message.ts";
import { problemText, within } from "./encode-faults.ts";
import { encodeMessage } from "./encode-message.ts";
import { findMessage, type KindName } from "./kinds.ts";
import type { Message } from "./message.ts";
import {
  type Cursor,
  createCursor,
  enter,
  leave,
  malformed,
  readBytes,
  readTag,
  readText,
  skipValue,
} from "./wire-reader.ts";
import {
  BYTES,
  createWriter,
  type WireWriter,
  writeBytes,
  writeText,
  writeVarint,
  writtenBytes,
  writtenLength,
} from "./wire-writer.ts";

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);
const TAG_1 = (1 << 3) | BYTES;
const TAG_2 = (2 << 3) | BYTES;
const TAG_3 = (3 << 3) | BYTES;
const TAG_4 = (4 << 3) | BYTES;

/** An object or a list with its kind; fields its message does not know are left out. */
export function encodeProtobuf<T extends KindName>(value: T): Uint8Array {
  const writer = createWriter();
  writeEnvelope(writer, value);
  return writtenBytes(writer);
}

/** One event of a watch, its length in front: {1: type, 2: {1: the object in its envelope}}. */
export function encodeProtobufEvent<T extends KindName>(type: string, object: T): Uint8Array {
  const writer = createWriter();
  writeEnvelope(writer, object);
  for (const tag of [TAG_1, TAG_2]) {
    writeVarint(writer, writtenLength(writer));
    writeVarint(writer, tag);
  }
  writeField(writer, TAG_1, type);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(writtenLength(writer));
  writeBytes(writer, frame);
  return writtenBytes(writer);
}

function writeEnvelope(writer: WireWriter, value: KindName): void {
  writeField(writer, TAG_4, "");
  writeField(writer, TAG_3, "");
  const rawEnd = writtenLength(writer);
  encodeMessage(writer, messageOf(value), value as unknown as Json);
  writeVarint(writer, writtenLength(writer) - rawEnd);
  writeVarint(writer, TAG_2);
  const typeEnd = writtenLength(writer);
  writeField(writer, TAG_2, value.kind);
  writeField(writer, TAG_1, value.apiVersion);
  writeVarint(writer, writtenLength(writer) - typeEnd);
  writeVarint(writer, TAG_1);
  writeBytes(writer, MAGIC);
}

function writeField(writer: WireWriter, tag: number, text: string): void {
  writeVarint(writer, writeText(writer, text));
  writeVarint(writer, tag);
}

function messageOf(kind: KindName): Message {
  const message = findMessage(kind);
  if (message !== undefined) return message;
  const { apiVersion, kind: name } = kind;
  throw new Fault(
    "malformed",
    `no kind ${JSON.stringify(name)} is registered for version ${JSON.stringify(apiVersion)}`,
  );
}

/** The object of a body. A body that does not name its kind is of the expected kind. */
export function parseProtobuf(bytes: Uint8Array, expected: KindName): JsonObject {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) throw malformed("it does not begin with the prefix of Kubernetes");
  const { raw, ...said } = readUnknown(createCursor(bytes.subarray(MAGIC.length)));
  const apiVersion = said.apiVersion || expected.apiVersion;
  const kind = said.kind || expected.kind;
  return { kind, apiVersion, ...decodeMessage(createCursor(raw), messageOf({ apiVersion, kind })) };
}

interface Unknown {
  apiVersion: string;
  kind: string;
  raw: Uint8Array;
}

function readUnknown(cursor: Cursor): Unknown {
  const unknown: Unknown = { apiVersion: "", kind: "", raw: new Uint8Array() };
  while (cursor.at < cursor.end) {
    const tag = readTag(cursor);
    if (tag === TAG_1) readTypeMeta(cursor, unknown);
    else if (tag === TAG_2) unknown.raw = readBytes(cursor);
    else skipValue(cursor, tag & 7);
  }
  return unknown;
}

function readTypeMeta(cursor: Cursor, into: Unknown): void {
  const outerEnd = enter(cursor);
  while (cursor.at < cursor.end) {
    const tag = readTag(cursor);
    if (tag === TAG_1) into.apiVersion = readText(cursor);
    else if (tag === TAG_2) into.kind = readText(cursor);
    else skipValue(cursor, tag & 7);
  }
  leave(cursor, outerEnd);
}

/**
 * What keeps a JSON value from being written as the message of its kind, in the words of Go's decoder; undefined when
 * nothing does, or when the kind has no message.
 */
export function typeProblem(value: Json, expected: KindName): string | undefined {
  const message = findMessage(expected);
  if (message === undefined) return undefined;
  try {
    encodeMessage(createWriter(), message, value);
    return undefined;
  } catch (error) {
    const told = within(error, expected.kind);
    if (!isFault(told, "malformed")) throw error;
    return problemText(told);
  }
}
