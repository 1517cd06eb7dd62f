// P15. A TPM counts its starts and its time. A pair that is not greater than the last one comes from a copy, a restored snapshot or
// a cleared TPM.
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import type { Quote } from "../../../../kernel/tpm/index.ts";
import { openClockReset, pinsOf } from "../../identity.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "../with-quote.ts";

export const tpmClockGoesForward: Rule<EndorsementFacts> = {
  id: "tpm-clock-goes-forward",
  sentence: "the TPM's starts and clock are beyond those of the last exchange",
  judge: withQuote((quote, _, { facts }) => {
    const { identity, nowMs, policy } = facts;
    const regression = clockRegression(quote, facts);
    if (regression === undefined) return pass();
    if (identity.kind === "Present" && openClockReset(identity.value, nowMs)) return pass("opened by an operator");
    return policy.tpm?.clockRegression === "Warn"
      ? pass(`the policy only warns: ${regression}`)
      : refuse("TpmClockRegressed", regression);
  }),
};

/** What went back, in words; undefined: nothing did. */
export function clockRegression(quote: Quote, { identity, keys }: EndorsementFacts): string | undefined {
  const last = pinsOf(identity)?.tpm;
  // Another TPM's clock says nothing of this one; whether it may be another is for endorsement-key-is-pinned to say.
  if (keys.endorsementKey.ok && last?.ek.spkiSha256 !== keys.endorsementKey.value.hash) return undefined;
  if (last?.resetCount === undefined || last.clock === undefined) return undefined;
  const isBeyond =
    quote.resetCount > last.resetCount || (quote.resetCount === last.resetCount && quote.clock > BigInt(last.clock));
  return isBeyond
    ? undefined
    : `the TPM is at start ${quote.resetCount}, clock ${quote.clock}; it was at ${last.resetCount}, ${last.clock}`;
}
