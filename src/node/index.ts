export { REQUEST_LIMIT_MS } from "./certificates/index.ts";
export {
  caPinOf,
  DISCOVERY_LIMIT_MS,
  type DiscoveredCluster,
  type DiscoverOptions,
  discoverCluster,
  parseEndpoint,
} from "./discovery/index.ts";
export { type ExecEdge, runAuthenticator } from "./exec/index.ts";
export { JOIN_STEPS, type JoinOptions, type JoinResult, type JoinStep, joinNode, parseNodeName } from "./join/index.ts";
