export { joinNode } from "./join.ts";
export { type ClusterAddress, execKubeconfig, fileKubeconfig } from "./kubeconfigs.ts";
export { parseNodeName } from "./node-name.ts";
export type { JoinOptions, JoinResult } from "./options.ts";
export { JOIN_STEPS, type JoinStep } from "./steps.ts";
