export { decryptGcm, encryptCfb, encryptGcm } from "./aes.ts";
export { agree, type EcPoint, publicPointOf } from "./agreement.ts";
export { nativeBase64Url } from "./base64-url.ts";
export { CURVES, type Curve, isOnCurve } from "./curves.ts";
export {
  digest,
  HASH_OCTETS,
  type HashName,
  hkdfSha256,
  hmac,
  hmacSha256,
  sha1,
  sha256,
  sha512t256,
} from "./digest.ts";
export { encryptOaep } from "./rsa-oaep.ts";
export {
  ALGORITHM_FACTS,
  type KeyAlgorithm,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
} from "./signature-algorithm.ts";
export { isSmallOrderPoint } from "./small-order.ts";
export { type KeyMaterial, type SignedBytes, VerificationKey } from "./verification-key.ts";
