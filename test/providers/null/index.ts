export { createNullProvider, NULL_AUTHENTICATOR, NULL_CLIENT_SIGNER } from "./null.ts";
