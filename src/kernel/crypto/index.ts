export { CURVES, type Curve, isOnCurve } from "./curves.ts";
export { hmacSha256, sha1, sha256, sha512t256 } from "./digest.ts";
export {
  ALGORITHM_FACTS,
  type KeyAlgorithm,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
} from "./signature-algorithm.ts";
export { isSmallOrderPoint } from "./small-order.ts";
export { type KeyMaterial, type SignedBytes, VerificationKey } from "./verification-key.ts";
