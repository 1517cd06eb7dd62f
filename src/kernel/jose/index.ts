export {
  type DetachedHs256,
  parseDetachedHs256,
  signDetachedHs256,
  type UnverifiedDetachedHs256,
  verifyDetachedHs256,
  verifyParsedDetachedHs256,
} from "./detached-hs256.ts";
export { type Hs256Key, parseCompactHs256, type UnverifiedHs256, verifyHs256 } from "./hs256.ts";
export {
  type Hs256JwtTemplate,
  parseHs256Jwt,
  signHs256Jwt,
  type UnverifiedHs256Jwt,
  verifyHs256Jwt,
} from "./hs256-jwt.ts";
export {
  decodeUnverifiedJws,
  decodeUnverifiedJwt,
  hasJwtForm,
  type Jwk,
  type JwtAlgorithm,
  type JwtClaims,
  type JwtTemplate,
  jwkOf,
  jwtAlgorithmOf,
  keyIdOf,
  signJwt,
  type UnverifiedJws,
  type UnverifiedJwt,
  verifyJwt,
} from "./jwt.ts";
