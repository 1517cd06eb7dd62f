export { openPair, useOf } from "./open-pair.ts";
export {
  type CertificatePair,
  encodePair,
  isSealed,
  keyBlockOf,
  PAIR_MAX_BYTES,
  type PairCertificate,
  parsePair,
  parseStoredPair,
  type SealedPair,
  type StoredPair,
} from "./pair.ts";
export {
  damagedKey,
  encodeSealedKey,
  isLostKey,
  type KeySeal,
  type KeyUse,
  parseSealedKey,
  SEALED_KEY_IV_OCTETS,
  SEALED_KEY_LABEL,
  type SealedKey,
} from "./sealed-key.ts";
