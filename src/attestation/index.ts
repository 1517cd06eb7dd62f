export { parseRecipient } from "./evidence/index.ts";
export { createInsecureProvider } from "./insecure/node.ts";
export type { NodeAttestationProvider } from "./provider.ts";
export { providerPackageOf } from "./sdk/find-package.ts";
export { createSdkProvider, loadProvider, loadSettings, makeProvider } from "./sdk/node.ts";
export { TAKEN_NAMES } from "./sdk/shape.ts";
export { createSdkVerifier, loadSdkVerifiers, makeVerifier, type SdkVerifier } from "./sdk/verifier.ts";
export { createTpmProver, createTpmProvider, readEndorsementKey, readTpmIdentity } from "./tpm/node.ts";
