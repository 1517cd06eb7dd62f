export { type Authentication, type Authenticator, type Credentials, forThisServer } from "./authenticator.ts";
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
export {
  createServiceAccountAuthenticator,
  type ServiceAccountOptions,
} from "./service-account/authenticator.ts";
export { createTokenIssuer, DEFAULT_ISSUER, type TokenIssuer } from "./service-account/issuer.ts";
export { createTokenKeys, type TokenKeyOptions, type TokenKeys } from "./service-account/keys.ts";
export { identify } from "./stage.ts";
export { createTokenFileAuthenticator, type TokenFile } from "./token-file.ts";
