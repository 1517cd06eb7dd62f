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
export { type Jwk, jwkOf, keyIdOf } from "./jwk.ts";
export {
  decodeUnverifiedJws,
  decodeUnverifiedJwt,
  hasJwtForm,
  type JwtAlgorithm,
  type JwtClaims,
  type JwtTemplate,
  jwtAlgorithmOf,
  signJwt,
  type UnverifiedJws,
  type UnverifiedJwt,
  verifyJwt,
} from "./jwt.ts";
