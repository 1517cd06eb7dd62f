export { COMMAND_TIMEOUT_MS, createTpm, type Tpm, type TpmOptions } from "./create-tpm.ts";
export { type DeviceFile, openDeviceTransport } from "./device-transport.ts";
export {
  flushLeftovers,
  keepPrimaries,
  releasePrimaries,
  withHandle,
  withPrimaries,
  withPrimary,
  withSession,
} from "./handles.ts";
export { DEFAULT_TPM_ADDRESS, openTpm, parseTpmAddress, type TpmAddress } from "./open-tpm.ts";
export { readNv, readPcrs } from "./read-state.ts";
export { initializeSwtpm, openSocketTransport, type SocketAddress, shutDownSwtpm } from "./socket-transport.ts";
export type { ExchangeOptions, TpmTransport } from "./transport.ts";
