export type { AttestationEvidence, NodeAttestationProvider } from "@countersign/sdk";
export { createInsecureProvider } from "./insecure/index.ts";
export {
  buildBeaconRenewal,
  buildHello,
  buildProof,
  type CertificateRequests,
  dropExchange,
  type ExchangeOptions,
  type ExchangeResult,
  type FoundRequest,
  loadExchange,
  pauseBeforeRetry,
  planExchange,
  type RequestInput,
  readTpmIdentity,
  runExchange,
  type SavedRequest,
  TPM_PROTOCOLS,
  type TpmIdentity,
} from "./tpm/index.ts";
