// Random bytes, and the ids and suffixes that are made of them.

import { encodeHex } from "../kernel/bytes/index.ts";

export interface RandomSource {
  random(count: number): Uint8Array;
}

/** UUID version 4. */
export function randomUid(source: RandomSource): string {
  const bytes = Uint8Array.from(source.random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = encodeHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Letters and digits that form no words and cannot be mistaken for one another. */
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;

/** Five letters that make a generated name unique. */
export function randomSuffix(source: RandomSource): string {
  let suffix = "";
  while (suffix.length < SUFFIX_LENGTH) {
    const [byte = 0] = source.random(1);
    // Bytes beyond the last whole multiple would make some letters likelier than others.
    if (byte < 256 - (256 % SUFFIX_ALPHABET.length)) suffix += SUFFIX_ALPHABET.charAt(byte % SUFFIX_ALPHABET.length);
  }
  return suffix;
}

/** More than a hundred ids. */
const POOL_BYTES = 2_048;

/**
 * Hands out random bytes in small portions. An id of a request is sixteen bytes, and a call into the operating system
 * for each would cost more than the rest of making it. Each byte is handed out once and then overwritten.
 */
export function createRandomPool(random: (count: number) => Uint8Array): (count: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  return (count) => {
    if (count > POOL_BYTES) return random(count);
    if (used + count > pool.length) [pool, used] = [random(POOL_BYTES), 0];
    // A copy also where the pool is a Buffer, whose `slice` would be a view.
    const taken = Uint8Array.from(pool.subarray(used, used + count));
    pool.fill(0, used, used + count);
    used += count;
    return taken;
  };
}
