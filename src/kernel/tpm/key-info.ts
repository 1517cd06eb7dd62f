// A TPM's public key as SubjectPublicKeyInfo: what certificates carry, what pins hash, and what verifies signatures.
import { concatBytes } from "../bytes/index.ts";
import { CURVES } from "../crypto/index.ts";
import { encodeBitString, encodeOid, encodeSequence, encodeTlv, encodeUnsigned, TAG } from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { type PublicKey, parsePublicKey } from "../x509/index.ts";
import { u32 } from "./codec.ts";
import { curveOf } from "./constants.ts";
import type { EccPublicFields, PublicAreaFields, RsaPublicFields } from "./public-area.ts";

const OID_RSA = encodeOid("1.2.840.113549.1.1.1");
const OID_EC = encodeOid("1.2.840.10045.2.1");
const CURVE_OIDS = {
  "P-256": encodeOid("1.2.840.10045.3.1.7"),
  "P-384": encodeOid("1.3.132.0.34"),
  "P-521": encodeOid("1.3.132.0.35"),
} as const;
const NULL = encodeTlv(TAG.null, []);
const DEFAULT_EXPONENT = 65537;

/** Refuses points off their curve and moduli of another size than stated. */
export function publicKeyOf(area: PublicAreaFields): PublicKey {
  return parsePublicKey(area.type === "rsa" ? encodeRsa(area) : encodeEcc(area));
}

export function exponentOf({ exponent }: RsaPublicFields): Uint8Array {
  return u32(exponent === 0 ? DEFAULT_EXPONENT : exponent);
}

/** Coordinates padded to the field: a TPM may leave leading zeros out. */
export function pointOf({ curveId, x, y }: EccPublicFields): { readonly x: Uint8Array; readonly y: Uint8Array } {
  const { coordinateOctets } = CURVES[curveOf(curveId)];
  return { x: padded(x, coordinateOctets), y: padded(y, coordinateOctets) };
}

function encodeRsa(area: RsaPublicFields): Uint8Array {
  const { modulus, keyBits } = area;
  if (modulus.length * 8 !== keyBits || (modulus[0] ?? 0) < 0x80) {
    throw new Fault("malformed", `RSA modulus of a TPM key must have exactly ${keyBits} bits`);
  }
  const key = encodeSequence([encodeUnsigned(modulus), encodeUnsigned(exponentOf(area))]);
  return encodeSequence([encodeSequence([OID_RSA, NULL]), encodeBitString(key)]);
}

function encodeEcc(area: EccPublicFields): Uint8Array {
  const { x, y } = pointOf(area);
  const algorithm = encodeSequence([OID_EC, CURVE_OIDS[curveOf(area.curveId)]]);
  return encodeSequence([algorithm, encodeBitString(concatBytes([Uint8Array.of(4), x, y]))]);
}

function padded(coordinate: Uint8Array, octets: number): Uint8Array {
  if (coordinate.length > octets) throw new Fault("malformed", "coordinate of a TPM key is larger than its curve");
  return concatBytes([new Uint8Array(octets - coordinate.length), coordinate]);
}
