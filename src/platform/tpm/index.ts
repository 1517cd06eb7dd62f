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
export { readNv } from "./read-nv.ts";
export { readPcrs } from "./read-pcrs.ts";
export { openSocketTransport, type SocketAddress } from "./socket-transport.ts";
export { initializeSwtpm, shutDownSwtpm } from "./swtpm-control.ts";
export type { ExchangeOptions, TpmTransport } from "./transport.ts";
