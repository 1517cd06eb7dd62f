export {
  type ClusterLocation,
  clusterLocationExtension,
  isClusterId,
  readClusterLocation,
} from "./cluster-location.ts";
export { moveClusters } from "./move-clusters.ts";
export { encodeKubeconfig, parseKubeconfig } from "./parse.ts";
export { type ExecUser, type Kubeconfig, type KubeconfigCluster, type KubeconfigUser, selectContext } from "./types.ts";
