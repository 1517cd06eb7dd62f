// Watches the API, decides, writes back: approval, signing, the cluster-info signer, bootstrap tokens.

export {
  APPROVAL_RULES,
  parseVerdict,
  type RecordedVerdict,
  type TrailEntry,
} from "./approval/index.ts";
export { CLUSTER_INFO_NAME, CLUSTER_INFO_NAMESPACE } from "./clusterinfo/index.ts";
export { runControllerCommand } from "./command/index.ts";
export { type Controller, type ControllerOptions, createController } from "./controller.ts";
export type { AuthorityPems } from "./signing/index.ts";
