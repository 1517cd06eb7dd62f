export {
  type ClusterLocation,
  type ClusterLocationExtension,
  clusterLocationExtension,
  isClusterId,
  readClusterLocation,
} from "./cluster-location.ts";
export { moveClusters } from "./move-clusters.ts";
export { encodeKubeconfig, parseKubeconfig } from "./parse.ts";
export {
  type ExecEnv,
  type ExecUser,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigSelection,
  type KubeconfigUser,
  selectContext,
} from "./types.ts";
