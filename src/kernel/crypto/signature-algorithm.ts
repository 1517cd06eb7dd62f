// The signature algorithms the product signs and verifies with. Those that are missing are missing on purpose: SHA-1 and
// MD5 are forgeable, DSA and odd curves are nobody's in Kubernetes.

export const SIGNATURE_ALGORITHMS = [
  "RSA-PKCS1-SHA256",
  "RSA-PKCS1-SHA384",
  "RSA-PKCS1-SHA512",
  "RSA-PSS-SHA256",
  "RSA-PSS-SHA384",
  "RSA-PSS-SHA512",
  "ECDSA-SHA256",
  "ECDSA-SHA384",
  "ECDSA-SHA512",
  "Ed25519",
] as const;

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

export type KeyAlgorithm = "RSA" | "EC" | "Ed25519";

export interface AlgorithmFacts {
  readonly key: KeyAlgorithm;
  /** Absent for Ed25519, which hashes by itself. */
  readonly hash?: "sha256" | "sha384" | "sha512";
  /** Present for PSS: the salt is as long as the hash, the only form TLS and Go use. */
  readonly pssSaltLength?: number;
}

export const ALGORITHM_FACTS: Readonly<Record<SignatureAlgorithm, AlgorithmFacts>> = {
  "RSA-PKCS1-SHA256": { key: "RSA", hash: "sha256" },
  "RSA-PKCS1-SHA384": { key: "RSA", hash: "sha384" },
  "RSA-PKCS1-SHA512": { key: "RSA", hash: "sha512" },
  "RSA-PSS-SHA256": { key: "RSA", hash: "sha256", pssSaltLength: 32 },
  "RSA-PSS-SHA384": { key: "RSA", hash: "sha384", pssSaltLength: 48 },
  "RSA-PSS-SHA512": { key: "RSA", hash: "sha512", pssSaltLength: 64 },
  "ECDSA-SHA256": { key: "EC", hash: "sha256" },
  "ECDSA-SHA384": { key: "EC", hash: "sha384" },
  "ECDSA-SHA512": { key: "EC", hash: "sha512" },
  Ed25519: { key: "Ed25519" },
};
