// TPMT_PUBLIC (part 2, §12.2.4): the public half of a TPM object. The bytes as received stay beside the parsed fields,
// because an object's Name is a hash of exactly those: encoding them again may give another Name.

import { concatBytes } from "../bytes/index.ts";
import { digest } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { readWhole, sized, type TpmReader, u16, u32 } from "./codec.ts";
import { ALGORITHM, hashOf } from "./constants.ts";

/** Of a key that protects others; absent (TPM_ALG_NULL) for signing keys. */
export interface SymmetricParameters {
  readonly algorithm: number;
  readonly keyBits: number;
  readonly mode: number;
}

/** Absent (TPM_ALG_NULL) for keys that leave the scheme to each use. */
interface SchemeParameters {
  readonly algorithm: number;
  /** Absent for RSAES, which has none. */
  readonly hash?: number;
}

interface PublicFields {
  readonly nameAlgorithm: number;
  /** TPMA_OBJECT. */
  readonly attributes: number;
  readonly authPolicy: Uint8Array;
  readonly symmetric: SymmetricParameters | undefined;
  readonly scheme: SchemeParameters | undefined;
}

export interface RsaPublicFields extends PublicFields {
  readonly type: "rsa";
  readonly keyBits: number;
  /** Zero means 65537. */
  readonly exponent: number;
  readonly modulus: Uint8Array;
}

export interface EccPublicFields extends PublicFields {
  readonly type: "ecc";
  readonly curveId: number;
  readonly kdf: SchemeParameters | undefined;
  readonly x: Uint8Array;
  readonly y: Uint8Array;
}

export type PublicAreaFields = RsaPublicFields | EccPublicFields;
export type PublicArea = PublicAreaFields & { readonly raw: Uint8Array };

/** The largest that exists, RSA-4096 with a SHA-512 policy, has some 610 octets. */
const MAX_PUBLIC_OCTETS = 1024;

export function parsePublicArea(bytes: Uint8Array): PublicArea {
  if (bytes.length > MAX_PUBLIC_OCTETS)
    throw new Fault("limit-exceeded", `TPM public area is larger than ${MAX_PUBLIC_OCTETS} octets`);
  return { raw: bytes, ...readWhole(bytes, readPublicArea) };
}

function readPublicArea(reader: TpmReader): PublicAreaFields {
  const type = reader.u16();
  const nameAlgorithm = reader.u16();
  const attributes = reader.u32();
  const authPolicy = reader.sized();
  switch (type) {
    case ALGORITHM.rsa: {
      const common = {
        nameAlgorithm,
        attributes,
        authPolicy,
        symmetric: readSymmetric(reader),
        scheme: readScheme(reader),
      };
      return { type: "rsa", ...common, keyBits: reader.u16(), exponent: reader.u32(), modulus: reader.sized() };
    }
    case ALGORITHM.ecc: {
      const common = {
        nameAlgorithm,
        attributes,
        authPolicy,
        symmetric: readSymmetric(reader),
        scheme: readScheme(reader),
      };
      const curveId = reader.u16();
      return { type: "ecc", ...common, curveId, kdf: readScheme(reader), x: reader.sized(), y: reader.sized() };
    }
    default:
      throw new Fault("unsupported", `TPM object must be an RSA or ECC key, got type 0x${type.toString(16)}`);
  }
}

function readSymmetric(reader: TpmReader): SymmetricParameters | undefined {
  const algorithm = reader.u16();
  return algorithm === ALGORITHM.null ? undefined : { algorithm, keyBits: reader.u16(), mode: reader.u16() };
}

function readScheme(reader: TpmReader): SchemeParameters | undefined {
  const algorithm = reader.u16();
  if (algorithm === ALGORITHM.null) return undefined;
  if (algorithm === ALGORITHM.rsaes) return { algorithm };
  if (algorithm === ALGORITHM.ecdaa) throw new Fault("unsupported", "TPM key must not have the scheme ECDAA");
  return { algorithm, hash: reader.u16() };
}

export function encodePublicArea(fields: PublicAreaFields): Uint8Array {
  const head = [u16(fields.nameAlgorithm), u32(fields.attributes), sized(fields.authPolicy)];
  const common = [encodeSymmetric(fields.symmetric), encodeScheme(fields.scheme)];
  if (fields.type === "rsa") {
    const own = [u16(fields.keyBits), u32(fields.exponent), sized(fields.modulus)];
    return concatBytes([u16(ALGORITHM.rsa), ...head, ...common, ...own]);
  }
  const own = [u16(fields.curveId), encodeScheme(fields.kdf), sized(fields.x), sized(fields.y)];
  return concatBytes([u16(ALGORITHM.ecc), ...head, ...common, ...own]);
}

function encodeSymmetric(symmetric: SymmetricParameters | undefined): Uint8Array {
  if (symmetric === undefined) return u16(ALGORITHM.null);
  return concatBytes([u16(symmetric.algorithm), u16(symmetric.keyBits), u16(symmetric.mode)]);
}

function encodeScheme(scheme: SchemeParameters | undefined): Uint8Array {
  if (scheme === undefined) return u16(ALGORITHM.null);
  return scheme.hash === undefined ? u16(scheme.algorithm) : concatBytes([u16(scheme.algorithm), u16(scheme.hash)]);
}

export function hasAttributes(area: PublicAreaFields, mask: number): boolean {
  return (area.attributes & mask) === mask;
}

// Names of TPM objects (part 1, §16): a hash over the public area, so that a Name says which key it is and what it may
// do.

/** nameAlg ‖ H(TPMT_PUBLIC), over the bytes as received. */
export function nameOf({ nameAlgorithm, raw }: PublicArea): Uint8Array {
  return concatBytes([u16(nameAlgorithm), digest(hashOf(nameAlgorithm), raw)]);
}

/** The qualified Name of a primary key: it proves in which hierarchy the key lives. */
export function qualifiedNameOfPrimary(area: PublicArea, hierarchy: number): Uint8Array {
  const { nameAlgorithm } = area;
  const parentAndOwn = concatBytes([u32(hierarchy), nameOf(area)]);
  return concatBytes([u16(nameAlgorithm), digest(hashOf(nameAlgorithm), parentAndOwn)]);
}
