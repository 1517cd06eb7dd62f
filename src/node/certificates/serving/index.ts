export { machineAddresses } from "./machine-addresses.ts";
export { servingNamesOf } from "./names.ts";
