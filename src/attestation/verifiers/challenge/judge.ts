// What every provider that is challenged has in common: P2–P7 of the protocol, and what a standing challenge says of its hello.
import { type Judgement, judgeInOrder, type Rule } from "../../../kernel/outcome/index.ts";
import type { ChallengeFacts, ProofFacts } from "./facts.ts";
import { challengeIsKnown } from "./rules/challenge-is-known.ts";
import { challengeIsNotOver } from "./rules/challenge-is-not-over.ts";
import { challengeIsOurOwn } from "./rules/challenge-is-our-own.ts";
import { challengeIsUnused } from "./rules/challenge-is-unused.ts";
import { challengedRequestExists } from "./rules/challenged-request-exists.ts";
import { claimsAreTheSame } from "./rules/claims-are-the-same.ts";
import { requesterIsTheSame } from "./rules/requester-is-the-same.ts";

/** A proof answers a challenge that was given to it, by whoever was challenged, once and in time. */
export const ANSWERED_RULES: readonly Rule<ProofFacts>[] = [
  challengedRequestExists,
  requesterIsTheSame,
  claimsAreTheSame,
  challengeIsKnown,
  challengeIsUnused,
  challengeIsNotOver,
];

/** What a challenge that is on the request already says; asked before everything else, because it ends the matter. */
export function judgeStandingChallenge(facts: ChallengeFacts): Judgement {
  return judgeInOrder([challengeIsOurOwn], facts, { reason: "NotChallenged", message: "the request has no challenge" });
}
