// Who opens a sealed key of this machine: the TPM that its join named, else the machine's usual one. Nothing is opened before a key is.

import { createTpmProvider } from "../../../attestation/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { loadRemembered } from "../../../node/index.ts";
import type { KeySeal } from "../../../platform/pair/index.ts";
import type { ThisNode } from "./this-node.ts";

export async function readKeySeal({ places }: ThisNode): Promise<KeySeal | undefined> {
  return createTpmProvider({ address: await readAddress(places) }).keySeal;
}

async function readAddress({ attestationPath }: ThisNode["places"]): Promise<string | undefined> {
  try {
    return (await loadRemembered(attestationPath))?.flags["tpm"];
  } catch (failure) {
    if (isFault(failure, "io-failed")) return undefined; // not for this user: the doctor's permissions tell
    throw failure;
  }
}
