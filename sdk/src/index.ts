// The contract between Countersign and an attestation provider: types, a version, and the conformance suite. No dependencies.
export { evidenceProblem } from "./canonical.ts";
export { type Conformance, type ConformanceCheck, conformanceChecks, runConformance } from "./conformance/index.ts";
export {
  CONTRACT_VERSION,
  type ContractVersion,
  type EvidenceRequest,
  type Freshness,
  type JsonObject,
  type JsonValue,
  MAX_PROOF_AGE_MS,
} from "./evidence.ts";
export type { NodeCallOptions, NodeProvider } from "./node.ts";
export type { NodeModule, VerifierModule } from "./package.ts";
export { bytesOf, encodeBytes, exactly, listSetting, optionalText, textSetting } from "./reading.ts";
export type { Answer, EndorsementKeySource, MachineView, Question, Verifier } from "./verifier.ts";
