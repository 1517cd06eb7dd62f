// Evidence is sealed where the bootstrap data names a recipient: "Sealed evidence" in docs/protocols/attestation.md.

import { randomBytes } from "../../platform/keys/index.ts";
import type { FinishOptions } from "../evidence/index.ts";
import type { RequestInput } from "../provider.ts";

/** One ephemeral key a request. A scalar below the order of P-256: its first octet is never all ones. */
export function sealFor({ recipient }: Pick<RequestInput, "recipient">): Pick<FinishOptions, "seal"> {
  if (recipient === undefined) return {};
  const ephemeralScalar = randomBytes(32);
  ephemeralScalar[0] = (ephemeralScalar[0] ?? 0) & 0x7f;
  return { seal: { recipient, ephemeralScalar } };
}
