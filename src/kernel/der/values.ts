// The primitive values inside DER elements: booleans, integers, bit strings (X.690 §11.1, §8.3, §11.2).
import { Fault } from "../outcome/index.ts";
import type { DerReader } from "./reader.ts";
import { TAG } from "./tags.ts";

export function readBoolean(reader: DerReader, tag: number = TAG.boolean): boolean {
  const content = reader.read(tag);
  const octet = content[0];
  if (content.length !== 1 || (octet !== 0 && octet !== 0xff)) {
    throw new Fault("malformed", "DER boolean must be 00 or FF");
  }
  return octet === 0xff;
}

/** BOOLEAN DEFAULT FALSE: DER leaves the default out, so a written FALSE is refused. */
export function readDefaultFalse(reader: DerReader): boolean {
  if (reader.nextTag !== TAG.boolean) return false;
  if (readBoolean(reader)) return true;
  throw new Fault("malformed", "DER must leave out a boolean that has its default");
}

/** The two's complement content of an INTEGER, checked to be the shortest. */
export function readInteger(reader: DerReader, tag: number = TAG.integer): Uint8Array {
  const content = reader.read(tag);
  const first = content[0];
  if (first === undefined) throw new Fault("malformed", "DER integer must have content");
  const second = content[1];
  if (second === undefined) return content;
  const isPadded = (first === 0 && second < 0x80) || (first === 0xff && second >= 0x80);
  if (isPadded) throw new Fault("malformed", "DER integer must be in its shortest form");
  return content;
}

/** An INTEGER that must not be negative, as magnitude octets without a leading zero (zero itself is one zero octet). */
export function readUnsigned(reader: DerReader, tag: number = TAG.integer): Uint8Array {
  const content = readInteger(reader, tag);
  if ((content[0] ?? 0) >= 0x80) throw new Fault("malformed", "DER integer must not be negative");
  return content.length > 1 && content[0] === 0 ? content.subarray(1) : content;
}

/** An INTEGER small enough for a number: versions, path lengths, salt lengths. */
export function readSmallUnsigned(reader: DerReader, tag: number = TAG.integer): number {
  const magnitude = readUnsigned(reader, tag);
  if (magnitude.length > 3) throw new Fault("limit-exceeded", "DER integer is larger than 24 bits");
  let value = 0;
  for (const octet of magnitude) value = (value << 8) | octet;
  return value;
}

interface BitString {
  readonly bytes: Uint8Array;
  readonly unusedBits: number;
}

export function readBitString(reader: DerReader, tag: number = TAG.bitString): BitString {
  const content = reader.read(tag);
  const unusedBits = content[0];
  if (unusedBits === undefined || unusedBits > 7) throw new Fault("malformed", "DER bit string must begin with 0 to 7");
  const bytes = content.subarray(1);
  const last = bytes[bytes.length - 1];
  if (last === undefined ? unusedBits !== 0 : (last & ((1 << unusedBits) - 1)) !== 0) {
    throw new Fault("malformed", "DER bit string must have zeros in its unused bits");
  }
  return { bytes, unusedBits };
}

/** A BIT STRING that carries whole octets: keys and signatures. */
export function readOctetsInBitString(reader: DerReader): Uint8Array {
  const { bytes, unusedBits } = readBitString(reader);
  if (unusedBits !== 0) throw new Fault("malformed", "DER bit string must hold whole octets");
  return bytes;
}

export function readNull(reader: DerReader): void {
  if (reader.read(TAG.null).length !== 0) throw new Fault("malformed", "DER null must be empty");
}
