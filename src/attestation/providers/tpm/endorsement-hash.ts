// How an operator names a machine before it joins: the hash of its TPM's endorsement key, as NodeIdentity and JoinPolicy have it.

import { encodeHex } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { parsePublicArea, publicKeyOf } from "../../../kernel/tpm/index.ts";
import { DEFAULT_TPM_ADDRESS, openTpm, type Tpm } from "../../../platform/tpm/index.ts";
import type { OpenOptions } from "../provider.ts";
import { explainTpm } from "./explain.ts";
import { readTpmIdentity } from "./keys.ts";

export interface EndorsementKeySummary {
  /** SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex. */
  readonly spkiSha256: string;
  readonly algorithm: string;
  /** Whether the maker left a certificate for it. */
  readonly isCertified: boolean;
}

export async function readEndorsementKey(
  options: OpenOptions,
  address: string = DEFAULT_TPM_ADDRESS,
): Promise<EndorsementKeySummary> {
  try {
    return await readOpen(await openTpm(address, options));
  } catch (failure) {
    throw explainTpm(failure);
  }
}

async function readOpen(tpm: Tpm): Promise<EndorsementKeySummary> {
  try {
    const { ek, ekChain } = await readTpmIdentity(tpm);
    const { spki, algorithm, bits, curve } = publicKeyOf(parsePublicArea(ek));
    const spkiSha256 = encodeHex(sha256(spki));
    return { spkiSha256, algorithm: `${algorithm} ${curve ?? bits ?? ""}`.trim(), isCertified: ekChain.length > 0 };
  } finally {
    await tpm.close();
  }
}
