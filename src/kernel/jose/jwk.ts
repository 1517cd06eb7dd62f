// Public keys as JSON Web Keys (RFC 7517, RFC 7518 §6), and the key id Kubernetes gives them.
import { encodeBase64Url } from "../bytes/index.ts";
import { sha256 } from "../crypto/index.ts";
import { readUnsigned, readWholeSequence } from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import type { PublicKey } from "../x509/index.ts";

export type Jwk = Readonly<Record<string, string>>;

/** base64url of SHA-256 over the SubjectPublicKeyInfo. */
export function keyIdOf(key: PublicKey): string {
  return encodeBase64Url(sha256(key.spki));
}

/** `kty` and the numbers of the key. Fault `unsupported` for Ed25519, which service account tokens never use. */
export function jwkOf(key: PublicKey): Jwk {
  if (key.algorithm === "RSA") {
    return readWholeSequence(key.keyBytes, (content) => {
      const [n, e] = [readUnsigned(content), readUnsigned(content)];
      return { kty: "RSA", n: encodeBase64Url(n), e: encodeBase64Url(e) };
    });
  }
  if (key.curve === undefined) throw new Fault("unsupported", "only RSA and EC keys are published");
  // The uncompressed point: a 4, then x and y of equal length.
  const half = (key.keyBytes.length - 1) / 2;
  const [x, y] = [key.keyBytes.subarray(1, 1 + half), key.keyBytes.subarray(1 + half)];
  return { kty: "EC", crv: key.curve, x: encodeBase64Url(x), y: encodeBase64Url(y) };
}
