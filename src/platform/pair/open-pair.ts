// From a pair as it is stored to one that can be used: a plain one as it is, a sealed one by whoever sealed it.

import { Fault } from "../../kernel/outcome/index.ts";
import { type CertificatePair, encodePair, isSealed, parsePair, type StoredPair } from "./pair.ts";
import type { KeySeal, KeyUse } from "./sealed-key.ts";

/** `keySeal`: this machine's, where it has one. The key is held against the certificate once more. */
export async function openPair(pair: StoredPair, keySeal: KeySeal | undefined): Promise<CertificatePair> {
  if (!isSealed(pair)) return pair;
  if (keySeal === undefined) {
    throw new Fault("bad-config", "the key of this certificate is sealed by the TPM, and no TPM is asked for", {
      detail: { todo: "name the provider that sealed it: --provider tpm, and --tpm where it is not /dev/tpmrm0" },
    });
  }
  return parsePair(encodePair(pair.certificatePem, await keySeal.open(pair.sealedKey, useOf(pair))));
}

/** A certificate's key opens for that certificate's public key alone. */
export function useOf({ publicKey }: Pick<StoredPair, "publicKey">): KeyUse {
  return { purpose: "certificate", bound: publicKey };
}
