export { type DetachedHs256, signDetachedHs256, verifyDetachedHs256 } from "./detached-hs256.ts";
export { type Jwk, jwkOf, keyIdOf } from "./jwk.ts";
export {
  decodeUnverifiedJwt,
  type JwtAlgorithm,
  type JwtClaims,
  type JwtTemplate,
  jwtAlgorithmOf,
  signJwt,
  type UnverifiedJwt,
  verifyJwt,
} from "./jwt.ts";
