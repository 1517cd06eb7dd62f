// Kinds that others define, read by paths.

export {
  CAPI_MACHINES_V1BETA1,
  CAPI_MACHINES_V1BETA2,
  MACHINE_RESOURCES,
  type Machine,
  OPENSHIFT_MACHINES,
  readMachine,
} from "./machine.ts";
