// Which signers a cluster's machines shall ask (CAEP 2021-02-22): the names that registration writes where Cluster API's providers look.
// Pure.

import { signerParts } from "../../../attestation/rules/index.ts";

export interface AdvertisedSigners {
  readonly client: string;
  /** Absent for a provider that proves nothing: it has no serving certificates. */
  readonly serving: string | undefined;
}

/** An installed provider before the TPM's, both before the one that proves nothing. Undefined: none of ours is served. */
export function advertisedSigners(
  servedSigners: readonly string[],
  installed: readonly string[],
): AdvertisedSigners | undefined {
  const served = servedSigners.flatMap((signer) => {
    const parts = signerParts(signer);
    return parts === undefined ? [] : [{ signer, ...parts }];
  });
  for (const provider of [...installed, "tpm", "insecure"]) {
    const own = served.filter((one) => one.provider === provider);
    const client = own.find(({ purpose }) => purpose === "client")?.signer;
    if (client !== undefined) return { client, serving: own.find(({ purpose }) => purpose === "serving")?.signer };
  }
  return undefined;
}
