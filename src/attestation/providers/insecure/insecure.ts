// The provider that proves nothing (seed 000, "insecure providers"; protocol 5): the bearer of a bootstrap token is believed, as in
// every cluster without attestation. For machines that have nothing to show, and for development. It may neither renew nor serve.

import { draftRequest, finishRequest, type Protocol } from "../../evidence/index.ts";
import type { SingleProvider } from "../provider.ts";
import { sealFor } from "../seal-for.ts";

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
