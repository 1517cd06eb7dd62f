// A join is content with the pair that is there only where its key is what is wanted, too.

import { type CertificatePair, isLostKey, isSealed, type StoredPair } from "../../../platform/pair/index.ts";
import type { CertificateStore } from "./store.ts";

/**
 * The pair with its key; undefined where that was sealed by another TPM and will never open here, where it lies open and keys are to be
 * sealed, because sealing does not take back what a disk has shown, and where it is sealed and a plain one is wanted. A TPM that does
 * not answer is an accident, and no reason to ask for another certificate: a Fault.
 */
export async function openFit(store: CertificateStore, pair: StoredPair): Promise<CertificatePair | undefined> {
  if (isSealed(pair) !== (store.sealNow() !== undefined)) return undefined;
  try {
    return await store.unseal(pair);
  } catch (error) {
    if (isLostKey(error)) return undefined;
    throw error;
  }
}
