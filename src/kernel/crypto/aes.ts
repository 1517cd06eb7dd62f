// AES as TPM credentials (CFB, a fresh key each) and sealed evidence (GCM) use it.
import { createCipheriv, createDecipheriv } from "node:crypto";
import { Fault } from "../outcome/index.ts";

const ZERO_IV = new Uint8Array(16);
const GCM_TAG_OCTETS = 16;

/** CFB-128 with an initialisation vector of zeros: right only where the key is used once, as in a TPM credential. */
export function encryptCfb(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv(key.length === 16 ? "aes-128-cfb" : "aes-256-cfb", key, ZERO_IV);
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final()]));
}

export interface GcmOptions {
  /** 32 octets. */
  readonly key: Uint8Array;
  /** 12 octets, never twice with one key. */
  readonly iv: Uint8Array;
  readonly associated: Uint8Array;
}

/** Ciphertext and tag in one. */
export function encryptGcm({ key, iv, associated }: GcmOptions, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: GCM_TAG_OCTETS });
  cipher.setAAD(associated);
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
}

/** `untrusted` where the tag does not hold: another key, other associated bytes, or altered text. */
export function decryptGcm({ key, iv, associated }: GcmOptions, sealed: Uint8Array): Uint8Array {
  if (sealed.length < GCM_TAG_OCTETS) throw new Fault("malformed", "sealed text must be longer than its tag");
  const end = sealed.length - GCM_TAG_OCTETS;
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: GCM_TAG_OCTETS });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(end));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]));
  } catch (cause) {
    throw new Fault("untrusted", "sealed text was not sealed with this key, or was altered", { cause });
  }
}
