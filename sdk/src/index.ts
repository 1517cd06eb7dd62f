// The contract between Countersign and an attestation provider: types, a version, and the conformance suite. No dependencies.
export { evidenceProblem } from "./canonical.ts";
export { type Conformance, type ConformanceCheck, conformanceChecks, runConformance } from "./conformance.ts";
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
export type { AttestationEvidence, AttestationRequest, NodeAttestationProvider } from "./plain.ts";
export type { Answer, EndorsementKeySource, MachineView, Question, Verifier } from "./verifier.ts";
