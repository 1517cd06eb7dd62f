// Digests and the one MAC the product needs.
import { createHash, createHmac } from "node:crypto";

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

/** Only for key identifiers (RFC 5280 §4.2.1.2 method 1), where nothing depends on collisions being hard to find. */
export function sha1(bytes: Uint8Array): Uint8Array {
  return createHash("sha1").update(bytes).digest();
}

/** SHA-512/256: what the kubelet hashes its key, subject and usages with to name its CSR. */
export function sha512t256(bytes: Uint8Array): Uint8Array {
  return createHash("sha512-256").update(bytes).digest();
}

export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(bytes).digest();
}
