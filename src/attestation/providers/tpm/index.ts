export { openCredential, quoteRegisters } from "./answer.ts";
export { type EndorsementKeySummary, readEndorsementKey } from "./endorsement-hash.ts";
export { readTpmIdentity, type TpmIdentity } from "./keys.ts";
export { createTpmProver, createTpmProvider, type TpmProviderOptions } from "./provider.ts";
export { buildBeaconRenewal, buildHello, buildProof, TPM_PROTOCOLS } from "./requests.ts";
