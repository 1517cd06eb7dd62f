// Kinds that others define, read by paths.

export { CAPI_CLUSTERS_V1BETA2, CLUSTER_RESOURCES, type InfrastructureRef, readInfrastructureRef } from "./cluster.ts";
export {
  CAPI_MACHINES_V1BETA1,
  CAPI_MACHINES_V1BETA2,
  MACHINE_RESOURCES,
  type Machine,
  OPENSHIFT_MACHINES,
  readMachine,
} from "./machine.ts";
export {
  CAPI_MACHINE_POOLS_V1BETA2,
  MACHINE_POOL_RESOURCES,
  type MachinePool,
  readMachinePool,
} from "./machine-pool.ts";
