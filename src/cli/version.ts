// The version that the programs print.
export { VERSION } from "../platform/process/index.ts";
