export { CURVES, type Curve, isOnCurve, isSmallOrderPoint } from "./curves.ts";
export {
  digest,
  HASH_OCTETS,
  type HashName,
  hkdfSha256,
  hmac,
  hmacSha256,
  nativeBase64Url,
  sha1,
  sha256,
  sha512t256,
} from "./digest.ts";
export { agree, decryptGcm, type EcPoint, encryptCfb, encryptGcm, encryptOaep, publicPointOf } from "./encryption.ts";
export {
  ALGORITHM_FACTS,
  type KeyMaterial,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type SignedBytes,
  VerificationKey,
} from "./verification-key.ts";
