export { type ClusterPins, createClusterPins } from "./cluster-pins.ts";
export { createIdentities, getIdentity, type Identities, isLive } from "./identities.ts";
export {
  createTokenMachines,
  TOKEN_MACHINE_ANNOTATION,
  type TokenMachine,
  type TokenMachines,
  type TokenMachinesOptions,
} from "./token-machine.ts";
