export { type Authentication, type Authenticator, type Credentials, forThisServer, NOT_MINE } from "./authenticator.ts";
export { type BootstrapTokenOptions, createBootstrapTokenAuthenticator } from "./bootstrap-token.ts";
export { type ClientCa, createClientCa } from "./client-ca.ts";
export {
  type ClientCertificateOptions,
  createClientCertificateAuthenticator,
  parseCaBundle,
} from "./client-certificate.ts";
export { runImpersonation } from "./impersonation.ts";
export { reviewToken } from "./review-token.ts";
export {
  createServiceAccountAuthenticator,
  type ServiceAccountOptions,
} from "./service-account/authenticator.ts";
export { createTokenIssuer, DEFAULT_ISSUER, type TokenIssuer } from "./service-account/issuer.ts";
export { createTokenKeys, type TokenKeyOptions, type TokenKeys } from "./service-account/keys.ts";
export { identify, runAuthentication } from "./stage.ts";
export { createTokenFileAuthenticator } from "./token-file.ts";
