// RSAES-OAEP (RFC 8017 §7.1.1) with the seed handed in: node:crypto draws its own, and a pure function must not. OpenSSL
// does the modular exponentiation; the encoding of the message is done here.
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { concatBytes } from "../bytes/index.ts";
import { Fault } from "../outcome/index.ts";
import { nativeBase64Url } from "./base64-url.ts";
import { digest, HASH_OCTETS, type HashName } from "./digest.ts";

export interface OaepOptions {
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
