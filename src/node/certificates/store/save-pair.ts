// A certificate with its key into the store, the key sealed where that is wanted: it is sealed before anything is written, so no plain
// key is ever on the disk, and all the steps of write-pair.ts are the same for both.

import { type CertificatePair, encodePair, type KeySeal, parsePair, useOf } from "../../../platform/pair/index.ts";
import { dropPlainKeys } from "./drop-plain-keys.ts";
import type { Place } from "./place.ts";
import { writePair } from "./write-pair.ts";

export interface NewPair {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** Undefined: the key is written as it is. */
  readonly keySeal: KeySeal | undefined;
}

export async function savePair(place: Place, { certificatePem, keyPem, keySeal }: NewPair): Promise<CertificatePair> {
  const pair = parsePair(encodePair(certificatePem, keyPem));
  const block = keySeal === undefined ? keyPem : await keySeal.seal(pair.keyPem, useOf(pair));
  await writePair(place, encodePair(certificatePem, block));
  if (keySeal !== undefined) await dropPlainKeys(place);
  return pair;
}
