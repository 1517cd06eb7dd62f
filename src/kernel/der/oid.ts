// Object identifiers between their DER content (X.690 §8.19) and dotted text.
import { Fault } from "../outcome/index.ts";
import type { DerReader } from "./reader.ts";
import { TAG } from "./tags.ts";

/** The longest identifiers in use (UUID arcs under 2.25) take some 20 octets. */
const MAX_OID_OCTETS = 64;
/** Arcs up to here are exact as numbers; longer ones go through BigInt. */
const MAX_SAFE_ARC_OCTETS = 7;
/** Up to 39 digits an arc: 128 bits, the longest in use. */
const DOTTED_NUMBERS = /^[0-2](?:\.(?:0|[1-9]\d{0,38}))+$/;
/** Arcs of so many digits fit into 31 bits; nearly all do. */
const MAX_NUMBER_DIGITS = 9;

export function readOid(reader: DerReader): string {
  return parseOid(reader.read(TAG.oid));
}

export function parseOid(content: Uint8Array): string {
  if (content.length > MAX_OID_OCTETS) throw new Fault("limit-exceeded", `OID is longer than ${MAX_OID_OCTETS} octets`);
  if (content.length === 0 || (content[content.length - 1] ?? 0) >= 0x80) {
    throw new Fault("malformed", "OID must end with a complete arc");
  }
  let end = arcEnd(content, 0);
  let text = firstTwoArcs(arcValue(content, 0, end));
  while (end < content.length) {
    const start = end;
    end = arcEnd(content, start);
    text += `.${arcValue(content, start, end)}`;
  }
  return text;
}

function arcEnd(content: Uint8Array, start: number): number {
  if (content[start] === 0x80) throw new Fault("malformed", "OID arc must be in its shortest form");
  let end = start;
  while ((content[end] ?? 0) >= 0x80) end++;
  return end + 1;
}

function arcValue(content: Uint8Array, start: number, end: number): number | bigint {
  if (end - start > MAX_SAFE_ARC_OCTETS) return longArc(content.subarray(start, end));
  let value = 0;
  for (let i = start; i < end; i++) value = value * 128 + ((content[i] ?? 0) & 0x7f);
  return value;
}

function longArc(octets: Uint8Array): bigint {
  let value = 0n;
  for (const octet of octets) value = (value << 7n) | BigInt(octet & 0x7f);
  return value;
}

function firstTwoArcs(combined: number | bigint): string {
  if (combined < 40) return `0.${combined}`;
  if (combined < 80) return `1.${Number(combined) - 40}`;
  return `2.${BigInt(combined) - 80n}`;
}

/** The content octets; the writer adds tag and length. */
export function encodeOidContent(oid: string): Uint8Array {
  if (!DOTTED_NUMBERS.test(oid)) throw new Fault("invalid", `OID must be dotted numbers, got ${oid}`);
  const [root = "", second = "", ...rest] = oid.split(".");
  if (root !== "2" && Number(second) > 39)
    throw new Fault("invalid", `OID must have a second arc under 40, got ${oid}`);
  const octets: number[] = [];
  pushLongArc(octets, BigInt(root) * 40n + BigInt(second));
  for (const arc of rest) {
    if (arc.length <= MAX_NUMBER_DIGITS) pushArc(octets, Number(arc));
    else pushLongArc(octets, BigInt(arc));
  }
  return Uint8Array.from(octets);
}

/** Base 128, most significant first, all octets but the last marked. */
function pushArc(octets: number[], arc: number): void {
  for (let shift = 28; shift > 0; shift -= 7) if (arc >= 1 << shift) octets.push(((arc >> shift) & 0x7f) | 0x80);
  octets.push(arc & 0x7f);
}

function pushLongArc(octets: number[], arc: bigint): void {
  const reversed = [Number(arc & 0x7fn)];
  for (let left = arc >> 7n; left > 0n; left >>= 7n) reversed.push(Number(left & 0x7fn) | 0x80);
  octets.push(...reversed.reverse());
}
