export {
  BEACON_CONFIG_MAP,
  BEACON_SECONDS,
  type Beacon,
  beaconEpoch,
  beaconNonce,
  encodeBeacon,
  parseBeacon,
} from "./beacon.ts";
export { type EvidenceBlocks, encodeBlocks, PROVIDER_LABEL, parseBlocks } from "./blocks.ts";
export type { EvidenceBody, InstanceBody, OtherBody, TpmHello, TpmProof } from "./body.ts";
export {
  type CanonicalObject,
  type CanonicalValue,
  canon,
  encodeCanonical,
  parseCanonical,
} from "./canonical.ts";
export {
  CHALLENGE_ANNOTATION,
  CHALLENGE_SECONDS,
  type Challenge,
  type ChallengeCore,
  type Challenged,
  CONSUMED_BY_ANNOTATION,
  challengeSecret,
  encodeChallenge,
  isOwnChallenge,
  type ParsedChallenge,
  parseChallenge,
  type TpmDemand,
} from "./challenge.ts";
export {
  type Claims,
  type Envelope,
  encodeEnvelope,
  type Intent,
  isEvidenceCluster,
  type Purpose,
  parseEnvelope,
  type Step,
} from "./envelope.ts";
export { CHALLENGE_KEY_OCTETS, type ChallengeKeys, deriveChallengeKeys } from "./keys.ts";
export { MAX_DATA_OCTETS, MAX_REQUEST_OCTETS } from "./limits.ts";
export { type NamedContent, objectName } from "./names.ts";
export {
  bestCommon,
  encodeSupportedVersions,
  type NextVersion,
  nextVersion,
  parseSupportedVersions,
  SUPPORTED_VERSIONS_ANNOTATION,
} from "./negotiate.ts";
export { encodeProtocol, isProviderName, type Protocol, parseProtocol } from "./protocol.ts";
export {
  defaultProviderId,
  isProviderId,
  OID_PROVIDER_ID,
  parseProviderId,
  providerIdExtension,
} from "./provider-id.ts";
export { beaconExtraData, exchangeExtraData } from "./quote-nonce.ts";
export {
  type Draft,
  type DraftInput,
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
export { encodeTranscript, type Freshness, type TranscriptInput, transcriptDigest } from "./transcript.ts";
