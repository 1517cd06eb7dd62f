// A certificate with its key into the store, the key sealed where that is wanted: it is sealed before anything is written, so no plain
// key is ever on the disk, and all the steps of write-pair.ts are the same for both.

import { join } from "node:path";
import { isFault } from "../../../kernel/outcome/index.ts";
import { removeIfPresent } from "../../../platform/files/index.ts";
import {
  type CertificatePair,
  encodePair,
  isSealed,
  type KeySeal,
  parsePair,
  parseStoredPair,
  useOf,
} from "../../../platform/pair/index.ts";
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
  if (keySeal !== undefined) await dropPlainPairs(place);
  return pair;
}

/** Pairs of the time before the keys were sealed: nobody reads them any more, but whoever copies the disk would. */
async function dropPlainPairs(place: Place): Promise<void> {
  const { layout, purpose, fileSystem } = place;
  const ours = new RegExp(`^kubelet-${purpose}-\\d[-\\d]*\\.pem$`);
  const names = (await fileSystem.list(layout.directory)).filter((name) => ours.test(name));
  for (const path of names.map((name) => join(layout.directory, name))) {
    if (!(await isPlain(place, path))) continue;
    await removeIfPresent(path, fileSystem);
    await fileSystem.sync(layout.directory);
  }
}

async function isPlain({ fileSystem }: Place, path: string): Promise<boolean> {
  try {
    return !isSealed(parseStoredPair((await fileSystem.read(path)).toString("utf8")));
  } catch (error) {
    if (isFault(error)) return false; // no pair of ours, and not ours to remove
    throw error;
  }
}
