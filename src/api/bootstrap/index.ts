export {
  CLUSTER_INFO_PATH,
  isBoundTo,
  JWS_HEADER,
  MAX_SIGNED_BODY_BYTES,
  type ReplyKey,
  refuseDiscoveryRequest,
  signDiscoveryAnswer,
  verifyDiscoveryAnswer,
} from "./answer-jws.ts";
export { discoveryUser, parseDiscoveryJwt, refuseDiscoveryJwt, signDiscoveryJwt } from "./discovery-jwt.ts";
export { type BootstrapToken, encodeToken, generateToken, isToken, parseToken } from "./token.ts";
export {
  buildTokenSecret,
  DEFAULT_TOKEN_GROUP,
  isExpired,
  readExpiration,
  readTokenSecret,
  type StoredToken,
  TOKEN_NAMESPACE,
  TOKEN_SECRET_TYPE,
  TOKEN_USAGES,
  type TokenSecretOptions,
  type TokenUsage,
  tokenSecretName,
} from "./token-secret.ts";
