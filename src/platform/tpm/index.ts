export type { Tpm } from "./create-tpm.ts";
export { keepPrimaries, releasePrimaries, withHandle, withPrimaries, withPrimary, withSession } from "./handles.ts";
export { DEFAULT_TPM_ADDRESS, openTpm, parseTpmAddress } from "./open-tpm.ts";
export { readNv, readPcrs } from "./read-state.ts";
