// Which points are keys. The NIST prime curves (FIPS 186-5, SP 800-186) and the test that a point lies on one. OpenSSL
// makes the same test when it imports a key; making it while parsing means that a certificate that was read has a
// usable key, without paying an import.

import { encodeHex } from "../bytes/index.ts";

export type Curve = "P-256" | "P-384" | "P-521";

interface CurveFacts {
  readonly coordinateOctets: number;
  readonly prime: bigint;
  readonly b: bigint;
}

export const CURVES: Readonly<Record<Curve, CurveFacts>> = {
  "P-256": {
    coordinateOctets: 32,
    prime: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  "P-384": {
    coordinateOctets: 48,
    prime: 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffffn,
    b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  },
  "P-521": {
    coordinateOctets: 66,
    prime: (1n << 521n) - 1n,
    b:
      (0x51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e1n << 256n) |
      0x56193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  },
};

/**
 * y² = x³ − 3x + b over the curve's field, both coordinates reduced. All three curves have cofactor 1, so this is
 * enough.
 */
export function isOnCurve(curve: Curve, point: { readonly x: Uint8Array; readonly y: Uint8Array }): boolean {
  const { prime, b } = CURVES[curve];
  const x = toBigInt(point.x);
  const y = toBigInt(point.y);
  if (x >= prime || y >= prime) return false;
  return (y * y - ((x * x - 3n) * x + b)) % prime === 0n;
}

/** By 64 bits at a time, in half the time of going through hexadecimal text. */
function toBigInt(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let value = 0n;
  let offset = 0;
  for (; offset + 8 <= bytes.length; offset += 8) value = (value << 64n) | view.getBigUint64(offset);
  for (; offset < bytes.length; offset++) value = (value << 8n) | BigInt(view.getUint8(offset));
  return value;
}

// The eight Ed25519 points of small order are no keys: for them signatures over anything can be written
// down without a private key. OpenSSL verifies with them; a request "signed" by one proves no possession of a key.

/**
 * The y coordinates, little-endian, sign bit cleared: 0, 1, the two of order eight, and −1, 0 and 1 plus the field
 * prime.
 */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

export function isSmallOrderPoint(point: Uint8Array): boolean {
  const y = Uint8Array.from(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.has(encodeHex(y));
}
