// The key of a request without an answer. It is on disk before the request is sent, because a certificate is useless
// without its key, and it stays until the certificate is stored. Sealed or plain, as the pair will be.

import { isFault } from "../../../kernel/outcome/index.ts";
import { atomicWriteFile, removeIfPresent } from "../../../platform/files/index.ts";
import { parsePrivateKey } from "../../../platform/keys/index.ts";
import { isLostKey, type KeySeal, type KeyUse, SEALED_KEY_LABEL } from "../../../platform/pair/index.ts";
import { entryAt, KEY_FILE_MODE, moveAside, type Place } from "./place.ts";

/** The request follows from the key, so the key is sealed without a binding. */
const USE: KeyUse = { purpose: "request", bound: new Uint8Array() };

export async function savePendingKey(
  { layout, fileSystem }: Place,
  keyPem: string,
  keySeal: KeySeal | undefined,
): Promise<void> {
  const text = keySeal === undefined ? keyPem : await keySeal.seal(keyPem, USE);
  await atomicWriteFile(layout.pendingKeyPath, text, { mode: KEY_FILE_MODE, fileSystem });
}

/**
 * An unreadable key is moved aside and the node makes a new one. differs from upstream: kubelet stops until it is
 * removed.
 */
export async function loadPendingKey(place: Place, keySeal: KeySeal | undefined): Promise<string | undefined> {
  const path = place.layout.pendingKeyPath;
  if ((await entryAt(place, path)) === "link") {
    await moveAside(place, path, "it is a link, and a key is never stored behind one");
    return undefined;
  }
  const text = await readIfPresent(place, path);
  if (text === undefined) return undefined;
  const isSealed = text.includes(SEALED_KEY_LABEL);
  if (keySeal !== undefined && !isSealed) {
    await removeIfPresent(path, place.fileSystem); // it was plain, and keys are sealed now
    return undefined;
  }
  const pem = isSealed ? await openOrMoveAside(place, text) : text;
  if (pem === undefined) return undefined;
  try {
    parsePrivateKey(pem);
    return pem;
  } catch (error) {
    if (!isFault(error)) throw error;
    await moveAside(place, path, error.message);
    return undefined;
  }
}

async function readIfPresent({ fileSystem }: Place, path: string): Promise<string | undefined> {
  try {
    return (await fileSystem.read(path)).toString("utf8");
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}

/** Moves aside only what will never open: a TPM that is unavailable for a moment costs no key. */
async function openOrMoveAside(place: Place, text: string): Promise<string | undefined> {
  const { keySeal, layout } = place;
  try {
    if (keySeal !== undefined) return await keySeal.open(text, USE);
  } catch (error) {
    if (!isLostKey(error)) throw error;
    await moveAside(place, layout.pendingKeyPath, error.message);
    return undefined;
  }
  await moveAside(place, layout.pendingKeyPath, "it is sealed by a TPM, and none is asked for now");
  return undefined;
}
