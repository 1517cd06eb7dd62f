// A private key as it lies on a disk where the machine's TPM seals it: the key in AES-256-GCM, and the key of that in
// an object that only this TPM opens. Self-contained, so that a pair stays one file with one rename:
//
//   01 ‖ parent (1) ‖ public area (2+n) ‖ private area (2+n) ‖ IV (12) ‖ ciphertext and tag
//
// Only the form is here, without node:crypto or a TPM: whether a file is whole must show without either. Opening it is
// the business of a KeySeal, which attestation/tpm makes.

import { concatBytes } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";

/** Of the PEM block that stands where the private key's would. */
export const SEALED_KEY_LABEL = "COUNTERSIGN SEALED KEY";

/**
 * What a sealed key is for. Opened for anything else it does not open, so blocks cannot be moved from place to place.
 */
export interface KeyUse {
  /** Of a stored certificate, of a request that waits, of an exchange under way. */
  readonly purpose: "certificate" | "request" | "exchange";
  /** The certificate's public key, the exchange's name; nothing for a request, which is known by nothing else. */
  readonly bound: Uint8Array;
}

export interface KeySeal {
  /** PEM in, a PEM block `COUNTERSIGN SEALED KEY` out. */
  seal(keyPem: string, use: KeyUse): Promise<string>;
  /**
   * Fault `untrusted` where it will never open here: another TPM, another use, altered. Others are accidents of the
   * TPM.
   */
  open(sealedPem: string, use: KeyUse): Promise<string>;
}

export interface SealedKey {
  /** The kind of storage key above the sealed object. */
  readonly parent: "ecc" | "rsa";
  /** TPMT_PUBLIC and TPM2B_PRIVATE of the sealed object, without their sizes. */
  readonly publicArea: Uint8Array;
  readonly privateArea: Uint8Array;
  readonly iv: Uint8Array;
  /** With its tag. */
  readonly ciphertext: Uint8Array;
}

const VERSION = 1;
const PARENTS = { ecc: 1, rsa: 2 } as const;
export const SEALED_KEY_IV_OCTETS = 12;
const TAG_OCTETS = 16;
/**
 * A data object's are 14 and some 130 octets; with SHA-512 and a policy, which a later version may have, they stay
 * below.
 */
const MAX_AREA_OCTETS = 512;
/** An RSA-4096 key in PEM has 3,300. */
const MAX_CIPHERTEXT_OCTETS = 8_192;

export function encodeSealedKey({ parent, publicArea, privateArea, iv, ciphertext }: SealedKey): Uint8Array {
  const head = Uint8Array.of(VERSION, PARENTS[parent]);
  return concatBytes([head, sizeOf(publicArea), publicArea, sizeOf(privateArea), privateArea, iv, ciphertext]);
}

function sizeOf({ length }: Uint8Array): Uint8Array {
  return Uint8Array.of(length >> 8, length & 0xff);
}

/** Fault `malformed` for whatever is no such key: cut short, too long, of another version. */
export function parseSealedKey(bytes: Uint8Array): SealedKey {
  const [version, kind] = bytes;
  if (version !== VERSION) throw damagedKey(`its version must be ${VERSION}`);
  const parent = kind === PARENTS.ecc ? "ecc" : kind === PARENTS.rsa ? "rsa" : undefined;
  if (parent === undefined) throw damagedKey("it names no kind of storage key");
  const publicArea = readArea(bytes, 2);
  const privateStart = 4 + publicArea.length;
  const privateArea = readArea(bytes, privateStart);
  const ivStart = privateStart + 2 + privateArea.length;
  const iv = bytes.subarray(ivStart, ivStart + SEALED_KEY_IV_OCTETS);
  const ciphertext = bytes.subarray(ivStart + SEALED_KEY_IV_OCTETS);
  if (ciphertext.length <= TAG_OCTETS) throw damagedKey("it ends too early");
  if (ciphertext.length > MAX_CIPHERTEXT_OCTETS) throw damagedKey("it is too long");
  return { parent, publicArea, privateArea, iv, ciphertext };
}

function readArea(bytes: Uint8Array, start: number): Uint8Array {
  const [high = 0, low = 0] = bytes.subarray(start, start + 2);
  const length = high * 256 + low;
  const area = bytes.subarray(start + 2, start + 2 + length);
  if (length === 0 || length > MAX_AREA_OCTETS || area.length !== length)
    throw damagedKey("an area has the wrong size");
  return area;
}

/** No accident of a TPM: the file itself. */
export function damagedKey(why: string): Fault {
  const todo = "join again with a live token: countersign node join";
  return new Fault("malformed", `the sealed key is damaged: ${why}`, { detail: { isDamagedKey: true, todo } });
}

/** The key will never open here, as told from a TPM that is in trouble: only then may it be given up. */
export function isLostKey(failure: unknown): failure is Fault {
  return isFault(failure, "untrusted") || (isFault(failure, "malformed") && failure.detail["isDamagedKey"] === true);
}
