export {
  challengedTpm,
  describeHolders,
  type EndorsementFacts,
  type EndorsementKey,
  type EndorsementSource,
  type KeyHolder,
  pinnedTpmKeys,
  readTpmKeys,
  type TpmHelloFacts,
  type TpmKeys,
} from "./facts.ts";
export {
  type BeaconFacts,
  judgeOwnedTpmProof,
  judgeTpmBeacon,
  judgeTpmHello,
  judgeTpmProof,
  type OwnedProofFacts,
  TPM_BEACON_RULES,
  TPM_HELLO_RULES,
  TPM_OWNED_RULES,
  TPM_PROOF_RULES,
} from "./judge.ts";
export { planPins } from "./pins.ts";
export { clockAlarms } from "./rules/quote.ts";
export { judgeTrust, TRUST_SOURCES } from "./trust.ts";
