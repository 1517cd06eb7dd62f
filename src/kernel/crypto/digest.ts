// Digests, MACs, the key derivation of RFC 5869, and native base64url.

import { createHash, createHmac, hkdfSync } from "node:crypto";

/** The digests a TPM names its objects with; SHA-1 is missing on purpose. */
export type HashName = "sha256" | "sha384" | "sha512";

export const HASH_OCTETS: Readonly<Record<HashName, number>> = { sha256: 32, sha384: 48, sha512: 64 };

export function digest(hash: HashName, bytes: Uint8Array): Uint8Array {
  return createHash(hash).update(bytes).digest();
}

export function hmac(hash: HashName, key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return createHmac(hash, key).update(bytes).digest();
}

/** HKDF-SHA-256 with an empty salt (RFC 5869): one secret into several that say nothing about one another. */
export function hkdfSha256(secret: Uint8Array, info: Uint8Array, octets: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), info, octets));
}

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

/** Text is taken as UTF-8, which OpenSSL's side does faster than ours. */
export function hmacSha256(key: Uint8Array | string, content: Uint8Array | string): Uint8Array {
  return createHmac("sha256", key).update(content).digest();
}

// Base64url in Node's native code, for what is encoded once a request: a key, a body that is signed. It writes what
// encodeBase64Url of kernel/bytes writes, which stays plain JavaScript because the console runs it in a browser.

/** Text is taken as UTF-8. */
export function nativeBase64Url(content: Uint8Array | string): string {
  return bufferOver(content).toString("base64url");
}

/** The same memory, seen as a Buffer; text is copied. */
export function bufferOver(content: Uint8Array | string): Buffer {
  if (typeof content === "string") return Buffer.from(content, "utf8");
  return Buffer.from(content.buffer, content.byteOffset, content.length);
}
