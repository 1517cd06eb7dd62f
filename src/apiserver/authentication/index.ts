export { type Authentication, type Authenticator, type Credentials, forThisServer, NOT_MINE } from "./authenticator.ts";
export { type BootstrapTokenOptions, createBootstrapTokenAuthenticator } from "./bootstrap-token.ts";
export { type ClientCa, createClientCa } from "./client-ca.ts";
export {
  type ClientCertificateOptions,
  createClientCertificateAuthenticator,
} from "./client-certificate.ts";
export {
  createDiscoveryJwtAuthenticator,
  createTokenSecretSource,
  type DiscoveryJwtOptions,
  type FindSecret,
} from "./discovery-jwt.ts";
export { runImpersonation } from "./impersonation.ts";
export { reviewToken } from "./review-token.ts";
export {
  createServiceAccountAuthenticator,
  type ServiceAccountOptions,
} from "./service-account/authenticator.ts";
export { createTokenIssuer, DEFAULT_ISSUER, type TokenIssuer } from "./service-account/issuer.ts";
export { createTokenKeys, type TokenKeyOptions, type TokenKeys } from "./service-account/keys.ts";
export { identify, runAuthentication } from "./stage.ts";
export { createTokenFileAuthenticator, type TokenFile } from "./token-file.ts";
