export { type BootstrapToken, encodeToken, generateToken, isToken, parseToken } from "./token.ts";
export {
  buildTokenSecret,
  DEFAULT_TOKEN_GROUP,
  readSigningToken,
  type SigningToken,
  TOKEN_NAMESPACE,
  TOKEN_SECRET_TYPE,
  type TokenSecretOptions,
} from "./token-secret.ts";
