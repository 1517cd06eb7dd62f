// What TPM credentials and sealed evidence are encrypted with: AES (CFB with a fresh key each, GCM), RSA-OAEP, ECDH.

import { constants, createCipheriv, createDecipheriv, createECDH, createPublicKey, publicEncrypt } from "node:crypto";
import { concatBytes } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";
import { CURVES, type Curve, isOnCurve } from "./curves.ts";
import { digest, HASH_OCTETS, type HashName, nativeBase64Url } from "./digest.ts";

const ZERO_IV = new Uint8Array(16);
const GCM_TAG_OCTETS = 16;

/** CFB-128 with an initialisation vector of zeros: right only where the key is used once, as in a TPM credential. */
export function encryptCfb(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv(key.length === 16 ? "aes-128-cfb" : "aes-256-cfb", key, ZERO_IV);
  return new Uint8Array(Buffer.concat([cipher.update(plaintext), cipher.final()]));
}

interface GcmOptions {
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

// RSAES-OAEP (RFC 8017 §7.1.1) with the seed handed in: node:crypto draws its own, and a pure function must not.
// OpenSSL does the modular exponentiation; the encoding of the message is done here.

interface OaepOptions {
  /** Magnitude, most significant octet first. */
  readonly modulus: Uint8Array;
  readonly exponent: Uint8Array;
  readonly hash: HashName;
  readonly label: Uint8Array;
  /** As long as the digest; a fresh one for every message. */
  readonly seed: Uint8Array;
}

export function encryptOaep(options: OaepOptions, message: Uint8Array): Uint8Array {
  const { modulus, exponent } = options;
  const jwk = { kty: "RSA", n: nativeBase64Url(modulus), e: nativeBase64Url(exponent) };
  const key = createPublicKey({ key: jwk, format: "jwk" });
  return new Uint8Array(publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, encode(options, message)));
}

function encode({ modulus, hash, label, seed }: OaepOptions, message: Uint8Array): Uint8Array {
  const hashOctets = HASH_OCTETS[hash];
  const padding = modulus.length - message.length - 2 * hashOctets - 2;
  if (padding < 0) throw new Fault("invalid", "message must fit into one block of RSA-OAEP");
  if (seed.length !== hashOctets) throw new Fault("invalid", `seed of RSA-OAEP must have ${hashOctets} octets`);
  const block = concatBytes([digest(hash, label), new Uint8Array(padding), Uint8Array.of(1), message]);
  const maskedBlock = xor(block, maskOf(hash, seed, block.length));
  const maskedSeed = xor(seed, maskOf(hash, maskedBlock, hashOctets));
  return concatBytes([Uint8Array.of(0), maskedSeed, maskedBlock]);
}

/** MGF1 (RFC 8017 §B.2.1). */
function maskOf(hash: HashName, seed: Uint8Array, octets: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  const counted = concatBytes([seed, new Uint8Array(4)]);
  for (let counter = 0; counter * HASH_OCTETS[hash] < octets; counter++) {
    counted[seed.length + 2] = counter >> 8;
    counted[seed.length + 3] = counter & 0xff;
    blocks.push(digest(hash, counted));
  }
  return concatBytes(blocks).subarray(0, octets);
}

function xor(a: Uint8Array, mask: Uint8Array): Uint8Array {
  const mixed = new Uint8Array(a.length);
  for (let index = 0; index < a.length; index++) mixed[index] = (a[index] ?? 0) ^ (mask[index] ?? 0);
  return mixed;
}

// Elliptic-curve Diffie-Hellman on the NIST curves. Private scalars are handed in, so that the callers stay pure.

/** Coordinates padded to the size of the field. */
export interface EcPoint {
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

const OPENSSL_NAMES: Readonly<Record<Curve, string>> = {
  "P-256": "prime256v1",
  "P-384": "secp384r1",
  "P-521": "secp521r1",
};
const UNCOMPRESSED = 0x04;

/** The x coordinate of scalar × point, padded to the size of the field. */
export function agree(curve: Curve, scalar: Uint8Array, peer: EcPoint): Uint8Array {
  if (!isOnCurve(curve, peer)) throw new Fault("malformed", `peer's key must be a point on ${curve}`);
  const shared = ecdhOf(curve, scalar).computeSecret(Buffer.concat([Uint8Array.of(UNCOMPRESSED), peer.x, peer.y]));
  const { coordinateOctets } = CURVES[curve];
  const padded = new Uint8Array(coordinateOctets);
  padded.set(shared, coordinateOctets - shared.length);
  return padded;
}

export function publicPointOf(curve: Curve, scalar: Uint8Array): EcPoint {
  const point = ecdhOf(curve, scalar).getPublicKey();
  const { coordinateOctets } = CURVES[curve];
  return {
    x: new Uint8Array(point.subarray(1, 1 + coordinateOctets)),
    y: new Uint8Array(point.subarray(1 + coordinateOctets)),
  };
}

function ecdhOf(curve: Curve, scalar: Uint8Array) {
  const ecdh = createECDH(OPENSSL_NAMES[curve]);
  try {
    ecdh.setPrivateKey(scalar);
  } catch (cause) {
    throw new Fault("invalid", `private scalar must be between 1 and the order of ${curve}`, { cause });
  }
  return ecdh;
}
