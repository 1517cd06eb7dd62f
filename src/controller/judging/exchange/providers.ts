// The providers of this controller: those of the product, and those that were installed.

import { INSECURE_PROVIDER } from "../../../attestation/insecure/verifier.ts";
import type { Provider } from "../../../attestation/provider.ts";
import { installedProvider, type SdkKeySource, type SdkVerifier } from "../../../attestation/sdk/verifier.ts";
import { createTpmVerifier } from "../../../attestation/tpm/verifier.ts";
import type { Guard } from "../../identities/guard.ts";
import type { AttestationWorld } from "./world.ts";

interface ProviderOptions extends Pick<AttestationWorld, "identities" | "keys" | "openHellos" | "readRequest"> {
  readonly guard: Guard;
  /** Inventories of platforms: which endorsement key a Machine has. */
  readonly sources: readonly SdkKeySource[];
  /** Of installed providers. */
  readonly verifiers: readonly SdkVerifier[];
}

export function createProviders(options: ProviderOptions): readonly Provider[] {
  const { guard, identities, keys, openHellos, readRequest, sources, verifiers } = options;
  const readOpenHellos = async (username: string) => {
    const { recipients } = await keys.ring();
    return openHellos(username).map((csr) => readRequest(csr, recipients));
  };
  const tpm = createTpmVerifier({ guard, identities, sources, readOpenHellos });
  return [tpm, INSECURE_PROVIDER, ...verifiers.map(installedProvider)];
}
