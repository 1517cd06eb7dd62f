export { type BootstrapToken, encodeToken, generateToken, isToken, parseToken } from "./token.ts";
export {
  buildTokenSecret,
  DEFAULT_TOKEN_GROUP,
  isExpired,
  readTokenSecret,
  type StoredToken,
  TOKEN_NAMESPACE,
  TOKEN_SECRET_TYPE,
  type TokenSecretOptions,
  tokenSecretName,
} from "./token-secret.ts";
