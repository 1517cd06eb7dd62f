// TPMT_SIGNATURE (part 2, §11.3.4): RSASSA, RSAPSS and ECDSA, and their check against the public area of the key.
import { concatBytes } from "../bytes/index.ts";
import type { HashName, SignatureAlgorithm } from "../crypto/index.ts";
import { encodeSequence, encodeUnsigned } from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { readWhole, sized, type TpmReader, u16 } from "./codec.ts";
import { ALGORITHM, hashOf } from "./constants.ts";
import { publicKeyOf } from "./key-info.ts";
import type { PublicArea } from "./public-area.ts";

interface TpmSignature {
  /** TPM_ALG_ID of the scheme: RSASSA, RSAPSS or ECDSA. */
  readonly algorithm: number;
  readonly hash: number;
  /** As X.509 writes it: raw for RSA, DER for ECDSA. */
  readonly value: Uint8Array;
}

/** An RSA-4096 signature has 518 octets. */
const MAX_SIGNATURE_OCTETS = 1024;
/** P-521's scalars have 66 octets; a longer one is not a scalar of any curve here. */
const MAX_SCALAR_OCTETS = 66;

export function parseTpmSignature(bytes: Uint8Array): TpmSignature {
  if (bytes.length > MAX_SIGNATURE_OCTETS)
    throw new Fault("limit-exceeded", `TPM signature is larger than ${MAX_SIGNATURE_OCTETS} octets`);
  return readWhole(bytes, readSignature);
}

function readSignature(reader: TpmReader): TpmSignature {
  const algorithm = reader.u16();
  switch (algorithm) {
    case ALGORITHM.rsassa:
    case ALGORITHM.rsapss:
      return { algorithm, hash: reader.u16(), value: reader.sized() };
    case ALGORITHM.ecdsa:
      return { algorithm, hash: reader.u16(), value: encodeSequence([readScalar(reader), readScalar(reader)]) };
    default:
      throw new Fault("unsupported", `TPM signature must be RSASSA, RSAPSS or ECDSA, got 0x${algorithm.toString(16)}`);
  }
}

function readScalar(reader: TpmReader): Uint8Array {
  const scalar = reader.sized();
  if (scalar.length === 0 || scalar.length > MAX_SCALAR_OCTETS)
    throw new Fault("malformed", `ECDSA scalar must have 1 to ${MAX_SCALAR_OCTETS} octets, got ${scalar.length}`);
  return encodeUnsigned(scalar);
}

/** TPMT_SIGNATURE of an RSASSA signature; for stand-ins of a TPM that sign in software. */
export function encodeRsaSignature(hash: number, value: Uint8Array): Uint8Array {
  return concatBytes([u16(ALGORITHM.rsassa), u16(hash), sized(value)]);
}

export function encodeEcdsaSignature(
  hash: number,
  scalars: { readonly r: Uint8Array; readonly s: Uint8Array },
): Uint8Array {
  return concatBytes([u16(ALGORITHM.ecdsa), u16(hash), sized(scalars.r), sized(scalars.s)]);
}

const SUFFIXES: Readonly<Record<HashName, "SHA256" | "SHA384" | "SHA512">> = {
  sha256: "SHA256",
  sha384: "SHA384",
  sha512: "SHA512",
};
const PREFIXES: ReadonlyMap<number, "RSA-PKCS1" | "RSA-PSS" | "ECDSA"> = new Map([
  [ALGORITHM.rsassa, "RSA-PKCS1"],
  [ALGORITHM.rsapss, "RSA-PSS"],
  [ALGORITHM.ecdsa, "ECDSA"],
]);

/** False also where the scheme is not the key's own: a restricted key has exactly one. */
export function verifyTpmSignature(area: PublicArea, signature: TpmSignature, bytes: Uint8Array): boolean {
  const { scheme } = area;
  if (scheme === undefined || scheme.algorithm !== signature.algorithm || scheme.hash !== signature.hash) return false;
  const algorithm = signatureAlgorithmOf(signature);
  return publicKeyOf(area).verifier.verify({ algorithm, bytes, signature: signature.value });
}

function signatureAlgorithmOf({ algorithm, hash }: TpmSignature): SignatureAlgorithm {
  const prefix = PREFIXES.get(algorithm);
  if (prefix === undefined) throw new Fault("unsupported", "TPM signature must be RSASSA, RSAPSS or ECDSA");
  return `${prefix}-${SUFFIXES[hashOf(hash)]}`;
}
