export { type CertificatePair, encodePair, PAIR_MAX_BYTES, parsePair } from "./pair.ts";
