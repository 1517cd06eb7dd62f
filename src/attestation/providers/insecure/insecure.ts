// The provider that proves nothing (seed 000, "insecure providers"): the bearer of a bootstrap token is believed, as in
// every cluster without attestation. For machines that have nothing to show, and for development. It may not renew.

import type { NodeAttestationProvider } from "@countersign/sdk";

export function createInsecureProvider(): NodeAttestationProvider {
  return {
    name: "insecure",
    contractVersion: 1,
    canRenew: false,
    attest: async () => ({ data: new Uint8Array() }),
  };
}
