// The machine's end of the provider that proves nothing: the bearer of a bootstrap token is believed, as in every
// cluster without attestation. For machines without hardware to prove by, and for development. It may neither renew nor
// serve.

import { draftRequest, finishRequest, type Protocol } from "../evidence/index.ts";
import { sealFor } from "../exchange/seal-for.ts";
import type { SingleProvider } from "../provider.ts";

const INSECURE_PROTOCOLS: readonly Protocol[] = [{ provider: "insecure", version: 1 }];

export function createInsecureProvider(): SingleProvider {
  return {
    kind: "single",
    name: "insecure",
    protocols: INSECURE_PROTOCOLS,
    canRenew: false,
    canServe: false,
    open: async () => ({
      single: async (input) =>
        finishRequest(draftRequest({ ...input, step: "single" }), { body: { kind: "insecure" }, ...sealFor(input) }),
      close: async () => undefined,
    }),
  };
}
