// Values -> protobuf bytes, written from the end to the front: when a message is done its length is known, so nothing
// is measured beforehand and nothing is copied. protobuf.dev/programming-guides/encoding.

/** Most objects of a cluster fit; a list grows by doubling. */
const FIRST_BYTES = 2_048;
const TWO_TO_32 = 0x1_0000_0000;
/** Up to this length a loop is faster than a call into Node; most names and values are shorter. */
const SHORT_TEXT = 48;

/** Wire types: the lowest three bits of a tag. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;

export interface WireWriter {
  buffer: Buffer;
  /** Position of the first written byte; everything before it is free. */
  at: number;
}

export function createWriter(): WireWriter {
  return { buffer: Buffer.allocUnsafe(FIRST_BYTES), at: FIRST_BYTES };
}

/** What was written: a view into the writer's memory, which must not be used again. */
export function writtenBytes({ buffer, at }: WireWriter): Uint8Array {
  return buffer.subarray(at);
}

/** Bytes written so far; the difference of two such numbers is the length of what was written between. */
export function writtenLength({ buffer, at }: WireWriter): number {
  return buffer.length - at;
}

function reserve(writer: WireWriter, count: number): void {
  if (writer.at < count) grow(writer, count);
  writer.at -= count;
}

function grow(writer: WireWriter, count: number): void {
  const { buffer, at } = writer;
  const used = buffer.length - at;
  const size = Math.max(buffer.length * 2, used + count);
  writer.buffer = Buffer.allocUnsafe(size);
  writer.at = size - used;
  buffer.copy(writer.buffer, writer.at, at);
}

export function writeBytes(writer: WireWriter, bytes: Uint8Array): void {
  reserve(writer, bytes.length);
  writer.buffer.set(bytes, writer.at);
}

/** Returns the length in bytes, which is written next. */
export function writeText(writer: WireWriter, text: string): number {
  if (text.length <= SHORT_TEXT && writeAscii(writer, text)) return text.length;
  const length = Buffer.byteLength(text);
  reserve(writer, length);
  writer.buffer.write(text, writer.at, length);
  return length;
}

/** False, and nothing written, when a character needs more than one byte. */
function writeAscii(writer: WireWriter, text: string): boolean {
  reserve(writer, text.length);
  const { buffer, at } = writer;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) {
      writer.at += text.length;
      return false;
    }
    buffer[at + i] = code;
  }
  return true;
}

/** A whole number of JavaScript, negative ones in ten bytes of two's complement as protobuf wants them. */
export function writeVarint(writer: WireWriter, value: number): void {
  if (value < 0) writeNegative(writer, value);
  else if (value > 0x7f) writePositive(writer, value);
  else {
    reserve(writer, 1);
    writer.buffer[writer.at] = value;
  }
}

function writePositive(writer: WireWriter, value: number): void {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  reserve(writer, size);
  const { buffer, at } = writer;
  let rest = value;
  for (let i = 0; i < size - 1; i += 1) {
    buffer[at + i] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  buffer[at + size - 1] = rest;
}

function writeNegative(writer: WireWriter, value: number): void {
  let low = value >>> 0;
  let high = Math.floor(value / TWO_TO_32) >>> 0;
  reserve(writer, 10);
  const { buffer, at } = writer;
  for (let i = 0; i < 9; i += 1) {
    buffer[at + i] = (low & 0x7f) | 0x80;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  buffer[at + 9] = low;
}

export function writeDouble(writer: WireWriter, value: number): void {
  reserve(writer, 8);
  writer.buffer.writeDoubleLE(value, writer.at);
}
