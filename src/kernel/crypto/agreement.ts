// Elliptic-curve Diffie-Hellman on the NIST curves. Private scalars are handed in, so that the callers stay pure.
import { createECDH } from "node:crypto";
import { Fault } from "../outcome/index.ts";
import { CURVES, type Curve, isOnCurve } from "./curves.ts";

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
