export {
  BEACON_CONFIG_MAP,
  type Beacon,
  beaconEpoch,
  beaconNonce,
  encodeBeacon,
  parseBeacon,
} from "./beacon.ts";
export { type EvidenceBlocks, encodeBlocks, PROVIDER_LABEL, parseBlocks } from "./blocks.ts";
export type { EvidenceBody, TpmHello, TpmProof } from "./body.ts";
export {
  type CanonicalObject,
  type CanonicalValue,
  canon,
  encodeCanonical,
  parseCanonical,
} from "./canonical.ts";
export {
  CHALLENGE_ANNOTATION,
  CHALLENGE_KEY_OCTETS,
  CHALLENGE_NONCE_OCTETS,
  CHALLENGE_SECONDS,
  type Challenge,
  type Challenged,
  type ChallengeKeys,
  CONSUMED_BY_ANNOTATION,
  challengeSecret,
  deriveChallengeKeys,
  encodeChallenge,
  isOwnChallenge,
  type ParsedChallenge,
  parseChallenge,
  USUAL_PCRS,
} from "./challenge.ts";
export {
  type Envelope,
  encodeEnvelope,
  isEvidenceCluster,
  type Purpose,
  parseEnvelope,
  type Statement,
  type Step,
} from "./envelope.ts";
export { MAX_REQUEST_OCTETS } from "./limits.ts";
export { HELLO_OBJECT_PREFIX, objectName } from "./names.ts";
export {
  bestCommon,
  encodeProtocol,
  encodeSupportedVersions,
  isProviderName,
  nextVersion,
  type Protocol,
  parseProtocol,
  parseSupportedVersions,
  SUPPORTED_VERSIONS_ANNOTATION,
} from "./protocol.ts";
export {
  defaultProviderId,
  isProviderId,
  OID_PROVIDER_ID,
  parseProviderId,
  providerIdOf,
} from "./provider-id.ts";
export {
  type Draft,
  draftRequest,
  type FinishedRequest,
  type FinishOptions,
  finishRequest,
  HELLO_NAME_PREFIX,
} from "./request.ts";
export {
  encodeRecipient,
  isSealed,
  openEnvelope,
  parseRecipient,
  type Recipient,
  type RecipientKey,
  sealEnvelope,
} from "./sealed.ts";
export {
  beaconExtraData,
  exchangeExtraData,
  type Freshness,
  transcriptDigest,
} from "./transcript.ts";
