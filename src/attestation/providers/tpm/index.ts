export { openCredential, quoteRegisters } from "./answer.ts";
export {
  dropExchange,
  loadExchange,
  type SavedExchange,
  type SavedRequest,
  saveExchange,
  stageOf,
} from "./exchange-state.ts";
export { readTpmIdentity, type TpmIdentity } from "./keys.ts";
export {
  type ExchangeStage,
  type ExchangeStep,
  type FoundRequest,
  pauseBeforeRetry,
  planExchange,
} from "./plan.ts";
export {
  buildBeaconRenewal,
  buildHello,
  buildProof,
  type RequestInput,
  type SentHello,
  TPM_PROTOCOLS,
} from "./requests.ts";
export {
  type CertificateRequests,
  type ExchangeOptions,
  type ExchangeResult,
  runExchange,
} from "./run-exchange.ts";
