export { type ClusterPlace, type OpenAccess, openClusterAccess } from "./access.ts";
export { type BootPlaces, type Gathered, gatherBoot } from "./gather.ts";
export { type BootPlan, type PairSource, planBoot } from "./plan.ts";
