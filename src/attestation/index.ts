export { parseRecipient } from "./evidence/index.ts";
export {
  createInsecureProvider,
  createTpmProvider,
  type NodeAttestationProvider,
  readEndorsementKey,
} from "./providers/index.ts";
