export { generatePrivateKey, type PrivateKey, parsePrivateKey, randomBytes } from "./private-key.ts";
export { verifySignature } from "./verify-signature.ts";
