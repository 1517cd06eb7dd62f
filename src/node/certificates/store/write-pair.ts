// A new pair becomes the current one. A reader at any moment, also after a crash, finds the old pair or the new:
//
//   hidden file, synced, read back  ->  its own name (link(2): never over another file)  ->  directory synced
//   ->  link kubelet-…-updated.pem  ->  one rename over kubelet-…-current.pem  ->  directory synced
//
// differs from upstream: kubelet writes under the final name, removes the current link before the rename (a moment
// without any credential) and does not sync the directory.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { removeIfPresent, temporaryPath } from "../../../platform/files/index.ts";
import {
  type CertificatePair,
  encodePair,
  type KeySeal,
  parsePair,
  parseStoredPair,
  type StoredPair,
  useOf,
} from "../../../platform/pair/index.ts";
import { dropPlainKeys } from "./drop-plain-keys.ts";
import { entryAt, KEY_FILE_MODE, moveAside, type Place } from "./place.ts";

/** Pairs stored within one second, which only tests and very short certificates come near. */
const MAX_PAIRS_A_SECOND = 100;

export async function writePair(place: Place, text: string): Promise<StoredPair> {
  const { layout, fileSystem } = place;
  const bytes = Buffer.from(text);
  const temporary = temporaryPath(layout.currentPath);
  let path: string;
  let pair: StoredPair;
  try {
    await fileSystem.create(temporary, bytes, KEY_FILE_MODE);
    await fileSystem.sync(temporary);
    const written = await fileSystem.read(temporary);
    if (!written.equals(bytes)) throw new Fault("io-failed", `${temporary} does not hold what was written to it`);
    pair = parseStoredPair(written.toString("utf8"));
    path = await giveName(place, temporary);
  } finally {
    await removeIfPresent(temporary, fileSystem);
  }
  await fileSystem.sync(layout.directory);
  await switchTo(place, path);
  return pair;
}

/** Exclusive: a file or link that has the name already is left alone, and the next name is taken. */
async function giveName({ layout, clock, fileSystem }: Place, temporary: string): Promise<string> {
  const nowMs = clock.now();
  for (let copy = 0; copy < MAX_PAIRS_A_SECOND; copy++) {
    const path = layout.pairPath(nowMs, copy);
    try {
      await fileSystem.link(temporary, path);
      return path;
    } catch (error) {
      if (!isFault(error, "already-exists")) throw error;
    }
  }
  throw new Fault("io-failed", `more than ${MAX_PAIRS_A_SECOND} pairs of one second in ${layout.directory}`);
}

async function switchTo(place: Place, path: string): Promise<void> {
  const { layout, fileSystem } = place;
  await clearUpdated(place);
  await fileSystem.symlink(path, layout.updatedPath);
  await fileSystem.rename(layout.updatedPath, layout.currentPath);
  await fileSystem.sync(layout.directory);
}

/** A link is left over from a switch. A regular file of that name stops a kubelet and is moved aside. */
export async function clearUpdated(place: Place): Promise<void> {
  const { layout, fileSystem } = place;
  const found = await entryAt(place, layout.updatedPath);
  if (found === "link") await removeIfPresent(layout.updatedPath, fileSystem);
  if (found === "other") await moveAside(place, layout.updatedPath, "it is a file where a link belongs");
}

interface NewPair {
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
