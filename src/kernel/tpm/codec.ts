// Big-endian TPM structures, read and written. The reader is a cursor. It never copies, and what is left over or
// missing is a Fault: every structure the product reads comes from a machine that has not proved anything yet.

import { concatBytes } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";

export class TpmReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8));
  }

  bytes(count: number): Uint8Array {
    const start = this.#advance(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** The content of a TPM2B: a size of two octets, then as many. */
  sized(): Uint8Array {
    return this.bytes(this.u16());
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  finish(): void {
    if (this.remaining > 0) throw new Fault("malformed", "TPM structure has bytes after its end");
  }

  #advance(count: number): number {
    const start = this.#offset;
    if (count > this.remaining) throw new Fault("malformed", "TPM structure ends too early");
    this.#offset = start + count;
    return start;
  }
}

/** Reads a structure that fills the whole input. */
export function readWhole<T>(bytes: Uint8Array, read: (reader: TpmReader) => T): T {
  const reader = new TpmReader(bytes);
  const value = read(reader);
  reader.finish();
  return value;
}

// Big-endian TPM values out; structures are made by joining them.

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
