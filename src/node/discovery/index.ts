export { DISCOVERY_LIMIT_MS, type DiscoverOptions, discoverCluster } from "./discover.ts";
export { parseEndpoint } from "./endpoint.ts";
export type { DiscoveredCluster } from "./judge.ts";
export { caPinOf, parseCaPin } from "./pins.ts";
