// A public key ready to verify signatures. OpenSSL's import is the dearest step of reading a CSR, so a key that is only
// carried along is never imported, and one that verifies again and again (a CA's) is imported once and kept.

import {
  constants,
  createPublicKey,
  type JsonWebKey,
  type JsonWebKeyInput,
  type PublicKeyInput,
  type VerifyJsonWebKeyInput,
  type VerifyKeyObjectInput,
  type VerifyPublicKeyInput,
  verify,
} from "node:crypto";
import type { Curve } from "./curves.ts";
import { bufferOver, nativeBase64Url } from "./digest.ts";

// The signature algorithms the product signs and verifies with. Those that are missing are missing on purpose: SHA-1
// and MD5 are forgeable; Kubernetes uses no DSA and no other curves.

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

type KeyAlgorithm = "RSA" | "EC" | "Ed25519";

interface AlgorithmFacts {
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

export type KeyMaterial =
  | { readonly algorithm: "RSA"; readonly modulus: Uint8Array; readonly exponent: Uint8Array }
  | { readonly algorithm: "EC"; readonly curve: Curve; readonly x: Uint8Array; readonly y: Uint8Array }
  | { readonly algorithm: "Ed25519"; readonly point: Uint8Array };

export interface SignedBytes {
  readonly algorithm: SignatureAlgorithm;
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/**
 * OpenSSL 3 has two ways to import a key, and neither wins everywhere. Measured on Node 20 in microseconds, JWK / SPKI:
 * RSA-2048 4 / 126, Ed25519 7 / 87, P-256 90 / 165, P-384 515 / 112. The JWK way multiplies the point by the group
 * order, which is fast only where the curve has hand-written code.
 */
const IMPORT_AS_SPKI: ReadonlySet<Curve> = new Set(["P-384", "P-521"]);

export class VerificationKey {
  readonly algorithm: KeyAlgorithm;
  readonly #material: KeyMaterial;
  readonly #spki: Uint8Array;
  #kept: VerifyKeyObjectInput | undefined;
  #isUsed = false;

  constructor(spki: Uint8Array, material: KeyMaterial) {
    this.algorithm = material.algorithm;
    this.#material = material;
    this.#spki = spki;
  }

  /** False for a wrong signature, and for an algorithm that is not this kind of key's. */
  verify(signed: SignedBytes): boolean {
    const facts = ALGORITHM_FACTS[signed.algorithm];
    if (facts.key !== this.algorithm) return false;
    const key = this.#key();
    const { pssSaltLength: saltLength } = facts;
    const input = saltLength === undefined ? key : { ...key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
    return verify(facts.hash, signed.bytes, input, signed.signature);
  }

  /** The first time as it is: a CSR's key verifies once, and not making a KeyObject for it saves 10 of some 310 µs. */
  #key(): VerifyKeyObjectInput | VerifyPublicKeyInput | VerifyJsonWebKeyInput {
    if (this.#kept !== undefined) return this.#kept;
    const input = importable(this.#spki, this.#material);
    if (this.#isUsed) this.#kept = { key: createPublicKey(input) };
    this.#isUsed = true;
    return input;
  }
}

function importable(spki: Uint8Array, material: KeyMaterial): PublicKeyInput | JsonWebKeyInput {
  if (material.algorithm === "EC" && IMPORT_AS_SPKI.has(material.curve)) {
    return { key: bufferOver(spki), format: "der", type: "spki" };
  }
  return { key: jwkOf(material), format: "jwk" };
}

function jwkOf(material: KeyMaterial): JsonWebKey {
  switch (material.algorithm) {
    case "RSA":
      return { kty: "RSA", n: nativeBase64Url(material.modulus), e: nativeBase64Url(material.exponent) };
    case "EC":
      return { kty: "EC", crv: material.curve, x: nativeBase64Url(material.x), y: nativeBase64Url(material.y) };
    case "Ed25519":
      return { kty: "OKP", crv: "Ed25519", x: nativeBase64Url(material.point) };
  }
}
