// One request that carries its evidence, which has as long to be made as the request has to be answered.

import type { FinishedRequest, Protocol } from "../../../attestation/evidence/index.ts";
import type { SingleProvider } from "../../../attestation/provider.ts";
import type { Signer } from "../../../kernel/x509/index.ts";
import { withinLimit } from "../limit.ts";
import type { ObtainOptions } from "../obtain-options.ts";
import { REQUEST_LIMIT_MS } from "../request.ts";
import { claimsOf } from "./claims.ts";

export async function attestInOne(
  options: ObtainOptions,
  spoken: { readonly provider: SingleProvider; readonly protocol: Protocol },
  key: Signer,
): Promise<FinishedRequest> {
  const { clock, signal, serving, recipient, limitMs = REQUEST_LIMIT_MS } = options;
  const { provider, protocol } = spoken;
  const awaited = () => `${provider.name} evidence is being gathered`;
  return await withinLimit({ clock, limitMs, signal, awaited }, async (stop) => {
    const claims = await claimsOf(options, stop);
    const prover = await provider.open({ clock, signal: stop });
    try {
      const request = await prover.single({ claims, protocol, key, names: serving, recipient });
      // Of a provider that proves nothing nobody shall read that it did.
      if (provider.name !== "insecure") options.onAttested?.();
      return request;
    } finally {
      await prover.close();
    }
  });
}
