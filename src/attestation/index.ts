export { parseRecipient } from "./evidence/index.ts";
export {
  createInsecureProvider,
  createTpmProvider,
  type NodeAttestationProvider,
  readEndorsementKey,
} from "./providers/index.ts";
export {
  createSdkProvider,
  createSdkVerifier,
  loadProvider,
  loadSdkVerifiers,
  loadSettings,
  makeProvider,
  makeVerifier,
  providerPackageOf,
  type SdkVerifier,
} from "./sdk/index.ts";
