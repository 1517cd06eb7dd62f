export { type ManagerEvent, machineAddresses, servingNamesOf } from "./certificates/index.ts";
export { runNodeDaemon } from "./daemon/daemon.ts";
export type { DaemonOptions, DiscoveryPlaces, ServingOptions, StatusOptions } from "./daemon/options.ts";
export { type Renewal, renewCertificate } from "./daemon/renew.ts";
export {
  type CachedDiscovery,
  type CachedWay,
  caPinOf,
  createDiscoveryCache,
  type DiscoverDeps,
  type DiscoveredCluster,
  type DiscoveryCache,
  type DiscoveryMethod,
  type DiscoveryWords,
  discover,
  encodeClusterInfo,
  encodeClusterKubeconfig,
  findDiscoveryMethod,
  type LocationCheck,
  listRoots,
  parseDiscoveryMethod,
  parseEndpoint,
  refreshDiscovery,
  verifyRoots,
  verifyServers,
  wayOf,
} from "./discovery/index.ts";
export { certificateFact, gatherHealth, lookAt } from "./health/gather.ts";
export { type Finding, isWell, judgeHealth, span } from "./health/judge.ts";
export {
  type BootstrapCredential,
  type JoinOptions,
  type JoinPlaces,
  type JoinPlan,
  type JoinResult,
  type JoinStep,
  joinNode,
  joinPlaces,
  leaveCluster,
  listLeft,
  loadKnownCluster,
  loadRemembered,
  parseNodeName,
  planJoin,
  type Remembered,
} from "./join/index.ts";
