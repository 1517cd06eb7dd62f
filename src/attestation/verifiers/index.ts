export { type Alarm, clockAlarms, credentialAlarms } from "./alarms.ts";
export { type ChallengeFacts, type HelloFacts, judgeStandingChallenge, type ProofFacts } from "./challenge/index.ts";
export type { ClusterFacts, EvidenceFacts, LimitFacts, RequestObject } from "./facts.ts";
export { isOpened, isRetired, isRevoked, openClockReset, openReset, pinsOf } from "./identity.ts";
export { INSECURE_RULES, judgeInsecure } from "./insecure/index.ts";
export {
  judgeOtherHello,
  judgeOtherProof,
  judgeOtherSingle,
  OTHER_HELLO_RULES,
  OTHER_PROOF_RULES,
  OTHER_SINGLE_RULES,
} from "./other/index.ts";
export { READABLE_RULES } from "./readable.ts";
export { attempt, type EvidenceReading, type Reading, type ReadOptions, readEvidence } from "./reading.ts";
export { CREDENTIAL_ID, credentialOf } from "./rules/requester-may-ask.ts";
export { type SignerParts, signerParts } from "./signer.ts";
export { judgeStanding, STANDING_REASONS, type Unproven, unprovenOf } from "./standing.ts";
export {
  type BeaconFacts,
  challengedTpm,
  describeHolders,
  type EndorsementFacts,
  type EndorsementKey,
  type EndorsementSource,
  judgeOwnedTpmProof,
  judgeTpmBeacon,
  judgeTpmHello,
  judgeTpmProof,
  judgeTrust,
  type KeyHolder,
  type OwnedProofFacts,
  pinnedTpmKeys,
  planPins,
  readTpmKeys,
  TPM_BEACON_RULES,
  TPM_HELLO_RULES,
  TPM_OWNED_RULES,
  TPM_PROOF_RULES,
  type TpmHelloFacts,
  type TpmKeys,
  type TpmProofFacts,
  TRUST_SOURCES,
} from "./tpm/index.ts";
