// Watches the API, decides, writes back: approval, signing, cleaning, the cluster-info signer, and the audit trail of
// it all.

export {
  type AuditLine,
  type CheckResult,
  checkTrail,
  getAnchors,
  headsOf,
  parseLine,
} from "./audit/index.ts";
export { CLUSTER_INFO_NAME, CLUSTER_INFO_NAMESPACE } from "./clusterinfo/index.ts";
export { runControllerCommand } from "./command/index.ts";
export {
  CONTROLLER_NAMES,
  type Controller,
  type ControllerName,
  type ControllerOptions,
  type ControllerState,
  createController,
} from "./compose.ts";
export { ALL_RULES } from "./judging/chains.ts";
export { parseVerdict, type RecordedVerdict, verdictOn } from "./judging/record.ts";
export { type ClusterName, parseClusterName } from "./machines/index.ts";
export { type Rehearsal, readPolicy, rehearse, type Snapshot } from "./policy/index.ts";
export type { Authorities, AuthorityPems } from "./signing/index.ts";
