export { type JoinPlan, planJoin } from "./dry-run.ts";
export { joinNode } from "./join.ts";
export { type ClusterAddress, loadKnownCluster } from "./kubeconfigs.ts";
export { leaveCluster, listLeft } from "./leave.ts";
export {
  type BootstrapCredential,
  JOIN_STEPS,
  type JoinOptions,
  type JoinResult,
  type JoinStep,
  parseNodeName,
} from "./options.ts";
export { type JoinPlaces, joinPlaces } from "./places.ts";
export { loadRemembered, type Remembered } from "./remembered.ts";
