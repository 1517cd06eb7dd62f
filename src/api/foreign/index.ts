// Kinds that others define, read by paths.

export { CLUSTER_RESOURCES, type InfrastructureRef, readInfrastructureRef } from "./cluster.ts";
export { MACHINE_RESOURCES, type Machine, readMachine } from "./machine.ts";
export { MACHINE_POOL_RESOURCES, type MachinePool, readMachinePool } from "./machine-pool.ts";
