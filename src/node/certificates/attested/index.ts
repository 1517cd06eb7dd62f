export { storeByExchange } from "./by-exchange.ts";
export { type Attestation, type AttestedRequest, clusterIdOf, requireMayAsk, takesEvidence } from "./claims.ts";
export { attestInOne } from "./in-one.ts";
export { createCertificateRequests, type RequestsOptions } from "./requests.ts";
