export {
  type ClusterLocation,
  type ClusterLocationExtension,
  clusterLocationExtension,
  isClusterId,
  readClusterLocation,
} from "./cluster-location.ts";
export { moveClusters } from "./move-clusters.ts";
export { encodeKubeconfig, parseKubeconfig } from "./parse.ts";
export { selectContext } from "./select.ts";
export type {
  ExecEnv,
  ExecUser,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigSelection,
  KubeconfigUser,
} from "./types.ts";
