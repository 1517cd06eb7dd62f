// Big-endian TPM values out; structures are made by joining them.
import { concatBytes } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";

const MAX_SIZED_OCTETS = 0xffff;

export function u8(value: number): Uint8Array {
  return Uint8Array.of(value);
}

export function u16(value: number): Uint8Array {
  return Uint8Array.of((value >> 8) & 0xff, value & 0xff);
}

export function u32(value: number): Uint8Array {
  return Uint8Array.of((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/** A TPM2B: the size in two octets, then the content. */
export function sized(content: Uint8Array): Uint8Array {
  if (content.length > MAX_SIZED_OCTETS) throw new Fault("invalid", "TPM2B must have at most 65535 octets");
  return concatBytes([u16(content.length), content]);
}
