export {
  ANSWERED_RULES,
  challengeIsOurOwn,
  challengeTimes,
  judgeStandingChallenge,
} from "./challenge.ts";
export {
  type ChallengeFacts,
  type EvidenceFacts,
  type HelloFacts,
  type LimitFacts,
  type ProofFacts,
  RETRY_UNREAD_MS,
  type RequestObject,
} from "./facts.ts";
export {
  commonPins,
  identityKeepsItsPins,
  identityOfKeyKeepsItsPins,
  isEnrolledKey,
  isOpened,
  isRetired,
  isRevoked,
  openClockReset,
  openReset,
  pinsOf,
  provesNothing,
} from "./identity.ts";
export { machineIsExpected, machineIsYoung, nodeIsItsOwn } from "./machine.ts";
export { namesAreTheMachines, servingIsCovered } from "./names.ts";
export { READABLE_RULES } from "./readable.ts";
export { attempt, type EvidenceReading, type Reading, readEvidence } from "./reading.ts";
export { signerParts } from "./request.ts";
export {
  type Alarm,
  credentialAlarms,
  isUsedLate,
  limitsAreKept,
  requesterMayAsk,
  USED_LATE,
} from "./requester.ts";
export { isInsecureAlone, judgeStanding, needsProof, STANDING_REASONS, type Unproven, unprovenOf } from "./standing.ts";
export {
  challengeOf,
  envelopeIn,
  keyOf,
  type ReadEvidence,
  withEvidence,
  withHello,
  withReading,
} from "./with-evidence.ts";
