export type { ChallengeFacts, HelloFacts, ProofFacts } from "./facts.ts";
export { challengeIsKnown } from "./rules/challenge-is-known.ts";
export { challengeIsNotOver } from "./rules/challenge-is-not-over.ts";
export { challengeIsOurOwn } from "./rules/challenge-is-our-own.ts";
export { challengeIsUnused } from "./rules/challenge-is-unused.ts";
export { challengedRequestExists } from "./rules/challenged-request-exists.ts";
export { claimsAreTheSame } from "./rules/claims-are-the-same.ts";
export { requesterIsTheSame } from "./rules/requester-is-the-same.ts";
