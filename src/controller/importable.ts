// `countersign/controller`: the controller in a program of one's own, and the parts that its options ask for.
// Everything else of this folder is the product's own and may change.

export { createSdkVerifier } from "../attestation/sdk/verifier.ts";
export { type Clock, systemClock, systemMonotonicMs } from "../platform/clock/index.ts";
export { randomBytes } from "../platform/keys/index.ts";
export {
  type Connection,
  createKubeClient,
  type KubeClient,
  loadConnection,
  loadKubeconfigClient,
} from "../platform/kube/index.ts";
export {
  createLog,
  createMetrics,
  type Log,
  type LogOptions,
  type Metrics,
  silentLog,
} from "../platform/report/index.ts";
export { type AuthorityWorld, openAuthority } from "./command/open-authority.ts";
export {
  CONTROLLER_NAMES,
  type Controller,
  type ControllerName,
  type ControllerOptions,
  type ControllerState,
  createController,
} from "./compose.ts";
export { type ClusterName, parseClusterName } from "./machines/index.ts";
export type { Authorities, AuthorityPems } from "./signing/index.ts";
