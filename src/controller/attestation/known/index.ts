export { type ClusterIds, type ClusterPins, createClusterIds, createClusterPins } from "./cluster-pins.ts";
export { createIdentities, getIdentity, holderOf, type Identities, isLive } from "./identities.ts";
export {
  createTokenMachines,
  TOKEN_MACHINE_ANNOTATION,
  type TokenMachine,
  type TokenMachines,
  type TokenMachinesOptions,
} from "./token-machine.ts";
