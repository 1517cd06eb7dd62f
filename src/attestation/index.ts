export { createInsecureProvider, type NodeAttestationProvider } from "./providers/index.ts";
