export { askVerifier } from "./ask-verifier.ts";
export { type FindOptions, findModule } from "./find-package.ts";
export { type LoadOptions, loadEndorsementKeySource, loadProvider, loadVerifier, makeProvider } from "./load.ts";
export { createSdkProvider } from "./provider.ts";
export { loadSettings } from "./settings.ts";
export { createSdkVerifier, loadSdkVerifiers, type SdkVerifier } from "./verifier.ts";
