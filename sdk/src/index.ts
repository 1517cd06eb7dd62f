// The contract between Countersign and an attestation provider: types, a version, the conformance suite. No
// dependencies.
export { answerProblem } from "./answer.ts";
export { evidenceProblem } from "./canonical.ts";
export {
  type Conformance,
  type ConformanceCheck,
  conformanceChecks,
  type EndorsementKeyConformance,
  endorsementKeyChecks,
  runConformance,
} from "./conformance/index.ts";
export {
  CONTRACT_VERSION,
  type ContractVersion,
  type EvidenceRequest,
  type Freshness,
  type JsonObject,
  type JsonValue,
  MAX_PROOF_AGE_MS,
} from "./evidence.ts";
export { LIMITS } from "./limits.ts";
export type { NodeCallOptions, NodeProvider } from "./node.ts";
export type { NodeModule, VerifierModule } from "./package.ts";
export {
  type PlatformAnswer,
  type PresignedRequest,
  type PresignedRules,
  readPresigned,
  sendPresigned,
} from "./presigned.ts";
export { bytesOf, encodeBytes, exactly, listSetting, optionalText, textSetting } from "./reading.ts";
export type { Answer, EndorsementKeySource, MachineView, Question, Verifier } from "./verifier.ts";
