export {
  type CertificatePair,
  encodePair,
  isSealed,
  keyBlockOf,
  openPair,
  PAIR_MAX_BYTES,
  type PairCertificate,
  parsePair,
  parseStoredPair,
  type StoredPair,
  useOf,
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
