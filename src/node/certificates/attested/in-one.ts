// One request that carries its evidence.

import type { FinishedRequest, Protocol } from "../../../attestation/evidence/index.ts";
import type { SingleProvider } from "../../../attestation/providers/index.ts";
import type { Signer } from "../../../kernel/x509/index.ts";
import type { ObtainOptions } from "../obtain-options.ts";
import { claimsOf } from "./claims.ts";

export async function attestInOne(
  options: ObtainOptions,
  spoken: { readonly provider: SingleProvider; readonly protocol: Protocol },
  key: Signer,
): Promise<FinishedRequest> {
  const { clock, signal = new AbortController().signal, serving, recipient } = options;
  const claims = await claimsOf(options, signal);
  const prover = await spoken.provider.open({ clock, signal });
  try {
    const request = await prover.single({ claims, protocol: spoken.protocol, key, names: serving, recipient });
    // Of a provider that proves nothing nobody shall read that it did.
    if (spoken.provider.name !== "insecure") options.onAttested?.();
    return request;
  } finally {
    await prover.close();
  }
}
