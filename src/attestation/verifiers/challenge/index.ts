export type { ChallengeFacts, HelloFacts, ProofFacts } from "./facts.ts";
export { ANSWERED_RULES, judgeStandingChallenge } from "./judge.ts";
export { challengeIsOurOwn } from "./rules/challenge-is-our-own.ts";
