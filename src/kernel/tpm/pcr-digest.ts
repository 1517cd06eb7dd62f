// The digest over PCR values that a quote signs: the hash is the signing scheme's, not the bank's.
import { concatBytes } from "../bytes/index.ts";
import { digest } from "../crypto/index.ts";
import { hashOf } from "./algorithms.ts";

/** Values in the order of the selection: banks in list order, registers ascending. */
export function pcrDigestOf(values: readonly Uint8Array[], schemeHash: number): Uint8Array {
  return digest(hashOf(schemeHash), concatBytes(values));
}
