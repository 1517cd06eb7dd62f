export {
  parseDetachedHs256,
  signDetachedHs256,
  type UnverifiedDetachedHs256,
  verifyDetachedHs256,
  verifyParsedDetachedHs256,
} from "./detached-hs256.ts";
export { parseHs256Jwt, signHs256Jwt, type UnverifiedHs256Jwt, verifyHs256Jwt } from "./hs256-jwt.ts";
export {
  decodeUnverifiedJwt,
  hasJwtForm,
  type JwtAlgorithm,
  type JwtClaims,
  jwkOf,
  jwtAlgorithmOf,
  keyIdOf,
  signJwt,
  type UnverifiedJwt,
  verifyJwt,
} from "./jwt.ts";
