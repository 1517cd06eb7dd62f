export { type Authentication, type Authenticator, type Credentials, NOT_MINE } from "./authenticator.ts";
export { type BootstrapTokenOptions, createBootstrapTokenAuthenticator } from "./bootstrap-token.ts";
export {
  type ClientCertificateOptions,
  createClientCertificateAuthenticator,
  parseCaBundle,
} from "./client-certificate.ts";
export { identify, runAuthentication } from "./stage.ts";
