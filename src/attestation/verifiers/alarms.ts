// What is let pass and must still be told (protocol 3.9, 3.6 P15): signs that two hold one identity. A rule that refuses needs no alarm:
// its verdict is one.
import { parseQuote } from "../../kernel/tpm/index.ts";
import type { EvidenceFacts } from "./facts.ts";
import { attempt } from "./reading.ts";
import { isUsedLate, USED_LATE } from "./rules/requester-may-ask.ts";
import type { EndorsementFacts } from "./tpm/facts.ts";
import { clockRegression } from "./tpm/rules/tpm-clock-goes-forward.ts";

export interface Alarm {
  readonly reason: "PreviousCredentialUsed" | "TpmClockRegressed";
  readonly message: string;
}

/** Of any renewal. */
export function credentialAlarms(facts: EvidenceFacts): readonly Alarm[] {
  return isUsedLate(facts) ? [{ reason: "PreviousCredentialUsed", message: USED_LATE }] : [];
}

/** Of a quote that every rule let pass, though its TPM's clock went back. */
export function clockAlarms(facts: EndorsementFacts): readonly Alarm[] {
  const { envelope } = facts.reading;
  const body = envelope.ok ? envelope.value.parsed.body : undefined;
  if (body?.kind !== "tpm-proof") return [];
  const quote = attempt("QuoteMalformed", () => parseQuote(body.attest));
  const message = quote.ok ? clockRegression(quote.value, facts) : undefined;
  return message === undefined ? [] : [{ reason: "TpmClockRegressed", message }];
}
