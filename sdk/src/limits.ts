// Every limit of the contract, once. The product has no code of this package: it states the same values under the type of
// this one (src/attestation/sdk/shape.ts), so that its compiler compares them. docs/guides/providers.md lists them.

export const LIMITS = {
  /** A provider's name, which is the end of its signer names. */
  name: "^[a-z][a-z0-9-]{0,31}$",
  /** Names of the product's own providers; `null` is that of its tests. */
  takenNames: ["insecure", "null", "tpm"],
  maxVersion: 999,
  maxProofAgeMs: 900_000,
  maxGatherMs: 10_000,
  /** One question to a source of endorsement keys. */
  maxAskMs: 10_000,
  /** A reason, and the level of an attestation. */
  word: "^[A-Z][A-Za-z0-9]{2,62}$",
  maxPins: 16,
  pinName: "^[a-zA-Z][\\w.-]{0,62}$",
  maxPinCharacters: 512,
  maxWaitMs: 3_600_000,
  /** Without blanks at its ends: it is compared with what other programs wrote. */
  providerId: "^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,510}[\\x21-\\x7e])?$",
  /** The envelope around the evidence is the sixth level. */
  maxEvidenceLevels: 5,
  /** An envelope has 40,960 octets; what stands around the evidence needs up to four thousand of them. */
  maxEvidenceCharacters: 36_864,
} as const;
