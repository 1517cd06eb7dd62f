// SubjectPublicKeyInfo (RFC 5280 §4.1.2.7): RSA, EC on the three NIST curves by name, Ed25519. Everything that makes a
// key unusable or weak beyond discussion is refused here, so that a parsed certificate always has a key one can verify
// with.
import {
  CURVES,
  type Curve,
  isOnCurve,
  isSmallOrderPoint,
  type KeyMaterial,
  VerificationKey,
} from "../crypto/index.ts";
import {
  type DerReader,
  readNull,
  readOctetsInBitString,
  readOid,
  readUnsigned,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { OID_CURVE_P256, OID_CURVE_P384, OID_CURVE_P521, OID_EC_KEY, OID_ED25519, OID_RSA_KEY } from "./oids.ts";

export interface PublicKey {
  /** The whole SubjectPublicKeyInfo: what CA pins and CSR names are computed over. */
  readonly spki: Uint8Array;
  /** The content of its bit string: what key identifiers are computed over. */
  readonly keyBytes: Uint8Array;
  readonly algorithm: "RSA" | "EC" | "Ed25519";
  /** Present for EC. */
  readonly curve?: Curve;
  /** Present for RSA: the size of the modulus. */
  readonly bits?: number;
  readonly verifier: VerificationKey;
}

/** Keys under 1024 bits can be factored with little effort; Go refuses the same. */
const MIN_RSA_BITS = 1024;
/** Verification time grows with the square of the size: Go's limit of 8192 keeps a handshake from becoming a weapon. */
const MAX_RSA_BITS = 8192;
/** Go's limit: exponents are 65537 in practice, and one above 31 bits only makes verification slow. */
const MAX_RSA_EXPONENT = 2 ** 31 - 1;

const CURVE_BY_OID: ReadonlyMap<string, Curve> = new Map([
  [OID_CURVE_P256, "P-256"],
  [OID_CURVE_P384, "P-384"],
  [OID_CURVE_P521, "P-521"],
]);

const UNCOMPRESSED = 0x04;
const ED25519_OCTETS = 32;

export function parsePublicKey(spki: Uint8Array): PublicKey {
  return readWholeSequence(spki, (content) => {
    const algorithm = content.enter(TAG.sequence);
    const oid = readOid(algorithm);
    const readMaterial = materialReader(oid, algorithm);
    const keyBytes = readOctetsInBitString(content);
    const material = readMaterial(keyBytes);
    const verifier = new VerificationKey(spki, material);
    return { spki, keyBytes, algorithm: material.algorithm, ...sizeOf(material), verifier };
  });
}

function sizeOf(material: KeyMaterial): { readonly curve?: Curve; readonly bits?: number } {
  switch (material.algorithm) {
    case "EC":
      return { curve: material.curve };
    case "RSA":
      return { bits: bitLength(material.modulus) };
    case "Ed25519":
      return {};
  }
}

/** Reads the parameters of the algorithm and answers how to read the key itself. */
function materialReader(oid: string, parameters: DerReader): (keyBytes: Uint8Array) => KeyMaterial {
  switch (oid) {
    case OID_RSA_KEY:
      readNull(parameters);
      parameters.finish();
      return parseRsa;
    case OID_EC_KEY: {
      const curve = readNamedCurve(parameters);
      parameters.finish();
      return (keyBytes) => parsePoint(curve, keyBytes);
    }
    case OID_ED25519:
      parameters.finish();
      return parseEd25519;
    default:
      throw new Fault("unsupported", `public key must be RSA, EC or Ed25519, got algorithm ${oid}`);
  }
}

function readNamedCurve(parameters: DerReader): Curve {
  if (parameters.nextTag !== TAG.oid) throw new Fault("unsupported", "EC key must name its curve, not describe it");
  const oid = readOid(parameters);
  const curve = CURVE_BY_OID.get(oid);
  if (curve === undefined) throw new Fault("unsupported", `EC key must be on P-256, P-384 or P-521, got curve ${oid}`);
  return curve;
}

function parsePoint(curve: Curve, keyBytes: Uint8Array): KeyMaterial {
  const { coordinateOctets } = CURVES[curve];
  if (keyBytes[0] !== UNCOMPRESSED || keyBytes.length !== 1 + 2 * coordinateOctets) {
    throw new Fault("unsupported", `EC key must be an uncompressed point of ${curve}`);
  }
  const x = keyBytes.subarray(1, 1 + coordinateOctets);
  const y = keyBytes.subarray(1 + coordinateOctets);
  if (!isOnCurve(curve, { x, y })) throw new Fault("malformed", `EC key must be a point on ${curve}`);
  return { algorithm: "EC", curve, x, y };
}

function parseRsa(keyBytes: Uint8Array): KeyMaterial {
  return readWholeSequence(keyBytes, (content) => {
    const modulus = readUnsigned(content);
    const exponent = readUnsigned(content);
    const bits = bitLength(modulus);
    if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
      throw new Fault("unsupported", `RSA key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, got ${bits}`);
    }
    const isOdd = ((modulus[modulus.length - 1] ?? 0) & 1) === 1;
    if (!isOdd || !isUsableExponent(exponent))
      throw new Fault("malformed", "RSA key must have an odd modulus and exponent");
    return { algorithm: "RSA", modulus, exponent };
  });
}

function isUsableExponent(exponent: Uint8Array): boolean {
  if (exponent.length > 4) return false;
  let value = 0;
  for (const octet of exponent) value = value * 256 + octet;
  return value >= 3 && value <= MAX_RSA_EXPONENT && value % 2 === 1;
}

function bitLength(magnitude: Uint8Array): number {
  return (magnitude.length - 1) * 8 + (32 - Math.clz32(magnitude[0] ?? 0));
}

function parseEd25519(keyBytes: Uint8Array): KeyMaterial {
  if (keyBytes.length !== ED25519_OCTETS) throw new Fault("malformed", "Ed25519 key must have 32 octets");
  if (isSmallOrderPoint(keyBytes)) throw new Fault("malformed", "Ed25519 key must not be a point of small order");
  return { algorithm: "Ed25519", point: keyBytes };
}
