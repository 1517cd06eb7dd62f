export { askVerifier } from "./ask-verifier.ts";
export { type FindOptions, findModule, providerPackageOf } from "./find-package.ts";
export { createSdkKeySource, loadSdkKeySources, type SdkKeySource } from "./key-source.ts";
export {
  type LoadOptions,
  loadEndorsementKeySource,
  loadProvider,
  loadVerifier,
  makeProvider,
  makeVerifier,
} from "./load.ts";
export { createSdkProvider } from "./provider.ts";
export { loadSettings } from "./settings.ts";
export { createSdkVerifier, loadSdkVerifiers, type SdkVerifier } from "./verifier.ts";
