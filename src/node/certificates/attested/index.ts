export { storeByExchange } from "./by-exchange.ts";
export {
  type AttestationSettings,
  type AttestedRequest,
  evidenceClusterOf,
  requireMayAsk,
  takesEvidence,
} from "./claims.ts";
export { attestInOne } from "./in-one.ts";
export { createCertificateRequests, type RequestsOptions } from "./requests.ts";
