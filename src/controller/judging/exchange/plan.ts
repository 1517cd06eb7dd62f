// What becomes of a request with evidence: from its stage and from what was seen, the next step. Pure, and the twin of
// attestation/exchange/plan.ts, which is the machine's side. Stages are derived from the objects and never remembered,
// so any replica continues after a crash at any write. "States of the controller" in docs/protocols/attestation.md.
//
//   stage       what was seen                             next
//   hello       a rule refuses or waits                   tell
//               all rules hold                            challenge
//   challenged  the challenge is ours                     keep the hello until it has expired
//               the challenge is its creator's            tell: denied
//   proof       its exchange is recorded                  approve
//               a rule, or the verifier, refuses          refuse: the hello is untouched, and junk is deleted
//               a rule, or the verifier, waits            tell
//               both hold                                 own: use the challenge up, read live
//   owned       its exchange is recorded                  approve
//               a rule refuses                            end: denied, and the hello deleted
//               a rule waits                              tell; after 15 minutes end
//               all rules hold                            pin, then approve; not free to pin: end
//
// Under a policy in Shadow nothing is challenged, owned or pinned: the verdict of all rules is told.
// A single is a proof without a hello: there is nothing to use up, and nothing to delete.

import type { Verdict } from "../../../kernel/outcome/index.ts";

type Stage = "hello" | "challenged" | "proof" | "owned";

export interface Sight {
  readonly stage: Stage;
  /** Of the rules of the stage, and of the provider's verifier where it has one. */
  readonly verdict: Verdict;
  /** The policy only records. */
  readonly isShadow?: boolean | undefined;
  /** An identity that was read live records the exchange of this request. */
  readonly isRecorded?: boolean | undefined;
  /** How long ago the request was created. */
  readonly ageMs?: number | undefined;
}

export type ExchangeStep = "tell" | "keep" | "challenge" | "refuse" | "own" | "pin" | "end" | "end-waiting" | "approve";

const NEXT: Readonly<Record<Stage, Readonly<Record<Verdict["kind"], ExchangeStep>>>> = {
  hello: { Allow: "challenge", Deny: "tell", Wait: "tell", NoOpinion: "tell" },
  challenged: { Allow: "tell", Deny: "tell", Wait: "tell", NoOpinion: "keep" },
  proof: { Allow: "own", Deny: "refuse", Wait: "tell", NoOpinion: "tell" },
  owned: { Allow: "pin", Deny: "end", Wait: "tell", NoOpinion: "tell" },
};

/** How long a proof may wait after it used the challenge up. */
export const OWNED_WAIT_MS = 15 * 60_000;

export function planStep({ stage, verdict, isShadow, isRecorded, ageMs = 0 }: Sight): ExchangeStep {
  if (isRecorded === true) return "approve";
  if (isShadow === true && stage !== "challenged") return "tell";
  const isOverdue = stage === "owned" && verdict.kind === "Wait" && ageMs > OWNED_WAIT_MS;
  return isOverdue ? "end-waiting" : NEXT[stage][verdict.kind];
}
