export { type CachedDiscovery, type CachedWay, wayOf } from "./cache/format.ts";
export { type Refreshed, refreshDiscovery } from "./cache/refresh.ts";
export { createDiscoveryCache, type DiscoveryCache } from "./cache/store.ts";
export type { DiscoveredCluster } from "./cluster.ts";
export { discover } from "./discover.ts";
export { parseEndpoint } from "./endpoint.ts";
export { encodeClusterInfo, encodeClusterKubeconfig } from "./kubeconfig.ts";
export {
  type DiscoveryMethod,
  type DiscoveryWords,
  findDiscoveryMethod,
  parseDiscoveryMethod,
} from "./method.ts";
export { caPinOf } from "./roots.ts";
export { type LocationCheck, listRoots, verifyRoots, verifyServers } from "./verify-servers.ts";
export { DISCOVERY_LIMIT_MS, type DiscoverDeps } from "./wait.ts";
