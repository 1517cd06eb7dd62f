// What a provider's npm package exports, and from where. The two ends are separate modules, so that a machine never
// loads the verifier and a controller never loads what reads a machine's secrets:
//
//   "exports": { "./node": "./dist/node.js", "./verifier": "./dist/verifier.js" }
//
// Settings are the operator's, from a file of JSON; a factory throws a TypeError that names the setting it cannot use.
import type { JsonObject } from "./evidence.ts";
import type { NodeProvider } from "./node.ts";
import type { EndorsementKeySource, Verifier } from "./verifier.ts";

/** The module `<package>/node`. */
export interface NodeModule {
  createProvider(settings: JsonObject): NodeProvider | Promise<NodeProvider>;
}

/** The module `<package>/verifier`. */
export interface VerifierModule {
  createVerifier(settings: JsonObject): Verifier | Promise<Verifier>;
  /** Where the platform knows the TPMs of its machines. */
  createEndorsementKeySource?(settings: JsonObject): EndorsementKeySource | Promise<EndorsementKeySource>;
}
