export type { AttestationEvidence, NodeAttestationProvider } from "@countersign/sdk";
export { createInsecureProvider } from "./insecure/index.ts";
