// Evidence is sealed (protocol 2.9) where the bootstrap data names somebody to seal it to.

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
