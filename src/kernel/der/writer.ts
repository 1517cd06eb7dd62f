// DER out: each function returns one finished element, and elements compose by being handed to the enclosing one.
import { encodeOidContent } from "./oid.ts";
import { TAG } from "./tags.ts";

/** Under this many octets a loop is faster than TypedArray.set; most elements of a certificate are. */
const SHORT_COPY = 64;

/** One element with this tag around the parts, which become its content. */
export function encodeTlv(tag: number, parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const header = headerSize(length);
  const element = new Uint8Array(header + length);
  element[0] = tag;
  writeLength(element, length);
  let offset = header;
  for (const part of parts) {
    if (part.length < SHORT_COPY) for (let i = 0; i < part.length; i++) element[offset + i] = part[i] ?? 0;
    else element.set(part, offset);
    offset += part.length;
  }
  return element;
}

function headerSize(length: number): number {
  if (length < 0x80) return 2;
  if (length < 0x100) return 3;
  return length < 0x10000 ? 4 : 5;
}

function writeLength(element: Uint8Array, length: number): void {
  if (length < 0x80) {
    element[1] = length;
    return;
  }
  const octets = headerSize(length) - 2;
  element[1] = 0x80 | octets;
  for (let i = 0; i < octets; i++) element[2 + i] = (length >> (8 * (octets - 1 - i))) & 0xff;
}

export function encodeSequence(parts: readonly Uint8Array[]): Uint8Array {
  return encodeTlv(TAG.sequence, parts);
}

/** SET OF: DER sorts the encoded members as byte strings (X.690 §11.6). */
export function encodeSetOf(members: readonly Uint8Array[]): Uint8Array {
  return encodeTlv(TAG.set, members.length < 2 ? members : [...members].sort(compareEncodings));
}

/** The order of SET OF members: octet by octet, the shorter first where one begins the other. */
export function compareEncodings(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function encodeOid(oid: string): Uint8Array {
  return encodeTlv(TAG.oid, [encodeOidContent(oid)]);
}

export function encodeOctetString(bytes: Uint8Array): Uint8Array {
  return encodeTlv(TAG.octetString, [bytes]);
}

const WHOLE_OCTETS = Uint8Array.of(0);

export function encodeBitString(bytes: Uint8Array): Uint8Array {
  return encodeTlv(TAG.bitString, [WHOLE_OCTETS, bytes]);
}

/** A non-negative INTEGER from its magnitude, most significant octet first. */
export function encodeUnsigned(magnitude: Uint8Array): Uint8Array {
  let start = 0;
  while (start < magnitude.length - 1 && magnitude[start] === 0) start++;
  const significant = magnitude.subarray(start);
  const needsSign = significant.length === 0 || (significant[0] ?? 0) >= 0x80;
  return encodeTlv(TAG.integer, needsSign ? [Uint8Array.of(0), significant] : [significant]);
}

export function encodeBoolean(value: boolean): Uint8Array {
  return encodeTlv(TAG.boolean, [Uint8Array.of(value ? 0xff : 0)]);
}

/** A BIT STRING of named bits: bit n of the list is the nth bit, trailing zeros left out (X.690 §11.2.2). */
export function encodeNamedBits(bits: readonly number[]): Uint8Array {
  const highest = Math.max(-1, ...bits);
  const octets = new Uint8Array(Math.floor(highest / 8) + 1);
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  const unused = highest < 0 ? 0 : 7 - (highest & 7);
  return encodeTlv(TAG.bitString, [Uint8Array.of(unused), octets]);
}
