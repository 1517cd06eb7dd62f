// Signatures with an SVID's key in the one form that others cannot vary: RSA as it is, ECDSA as r ‖ s with the smaller
// of the two values of s. Otherwise an altered and still valid copy of a proof could be created beside the original.
import { constants, type KeyObject, sign, verify } from "node:crypto";

const CONTEXT = "countersign provider spiffe 1\0";

/** What the key signs: the digest of the request and challenge, behind a prefix that no other use of the key has. */
export function statementOf(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(CONTEXT, "utf8"), digest]);
}

interface Curve {
  readonly hash: string;
  readonly octets: number;
  readonly order: bigint;
}

/** Of SPIRE's key types those with a curve: ec-p256 and ec-p384. */
const CURVES: Readonly<Record<string, Curve>> = {
  prime256v1: {
    hash: "sha256",
    octets: 32,
    order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  },
  secp384r1: {
    hash: "sha384",
    octets: 48,
    order: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  },
};

const RSA = { padding: constants.RSA_PKCS1_PADDING } as const;

export function signStatement(key: KeyObject, statement: Uint8Array): Uint8Array {
  if (key.asymmetricKeyType === "rsa") return sign("sha256", statement, { key, ...RSA });
  const curve = curveOf(key);
  if (curve === undefined) throw new TypeError("the SVID's key must be RSA, P-256 or P-384");
  return withLowS(sign(curve.hash, statement, { key, dsaEncoding: "ieee-p1363" }), curve);
}

export function verifyStatement(key: KeyObject, statement: Uint8Array, signature: Uint8Array): boolean {
  if (key.asymmetricKeyType === "rsa") return verify("sha256", statement, { key, ...RSA }, signature);
  const curve = curveOf(key);
  if (curve === undefined || signature.length !== 2 * curve.octets || isHigh(signature, curve)) return false;
  return verify(curve.hash, statement, { key, dsaEncoding: "ieee-p1363" }, signature);
}

function curveOf({ asymmetricKeyDetails }: KeyObject): Curve | undefined {
  const name = asymmetricKeyDetails?.namedCurve ?? "";
  return Object.hasOwn(CURVES, name) ? CURVES[name] : undefined;
}

function withLowS(signature: Uint8Array, curve: Curve): Uint8Array {
  if (!isHigh(signature, curve)) return signature;
  const low = (curve.order - secondHalf(signature, curve)).toString(16).padStart(2 * curve.octets, "0");
  return Buffer.concat([signature.subarray(0, curve.octets), Buffer.from(low, "hex")]);
}

function isHigh(signature: Uint8Array, curve: Curve): boolean {
  return secondHalf(signature, curve) > curve.order / 2n;
}

function secondHalf(signature: Uint8Array, { octets }: Curve): bigint {
  return BigInt(`0x${Buffer.from(signature.subarray(octets)).toString("hex") || "0"}`);
}
