// Numbers of the TPM 2.0 library specification (part 2), as far as the product speaks them. A table of data.

import type { Curve, HashName } from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";

/** TPM_ALG_ID. */
export const ALGORITHM = {
  rsa: 0x0001,
  aes: 0x0006,
  keyedHash: 0x0008,
  sha256: 0x000b,
  sha384: 0x000c,
  sha512: 0x000d,
  null: 0x0010,
  rsassa: 0x0014,
  rsaes: 0x0015,
  rsapss: 0x0016,
  oaep: 0x0017,
  ecdsa: 0x0018,
  ecdaa: 0x001a,
  ecc: 0x0023,
  cfb: 0x0043,
} as const;

/** TPM_ECC_CURVE. */
export const CURVE_ID = { p256: 0x0003, p384: 0x0004, p521: 0x0005 } as const;

/** TPM_ST: tags of messages, of attested structures and of tickets. */
export const STRUCTURE = { noSessions: 0x8001, sessions: 0x8002, quote: 0x8018 } as const;

/** What every structure that a TPM signs by itself begins with: ff "TCG". */
export const GENERATED_MAGIC = 0xff544347;

/** TPM_RH: handles that are always there. */
export const HANDLE = {
  owner: 0x40000001,
  null: 0x40000007,
  password: 0x40000009,
  lockout: 0x4000000a,
  endorsement: 0x4000000b,
} as const;

/** TPM_CC. */
export const COMMAND = {
  startup: 0x144,
  shutdown: 0x145,
  getRandom: 0x17b,
  getCapability: 0x17a,
  createPrimary: 0x131,
  create: 0x153,
  load: 0x157,
  unseal: 0x15e,
  loadExternal: 0x167,
  readPublic: 0x173,
  nvReadPublic: 0x169,
  nvRead: 0x14e,
  startAuthSession: 0x176,
  policySecret: 0x151,
  activateCredential: 0x147,
  makeCredential: 0x168,
  quote: 0x158,
  pcrRead: 0x17e,
  pcrExtend: 0x182,
  flushContext: 0x165,
} as const;

/** TPM_CAP and TPM_PT. */
export const CAPABILITY = { algorithms: 0, handles: 1, pcrs: 5, properties: 6, eccCurves: 8 } as const;
export const PROPERTY = {
  manufacturer: 0x105,
  firmwareVersion1: 0x10b,
  firmwareVersion2: 0x10c,
  permanent: 0x200,
  nvBufferMax: 0x12c,
} as const;

/** TPMA_OBJECT. */
export const ATTRIBUTE = {
  fixedTpm: 0x0000_0002,
  stClear: 0x0000_0004,
  fixedParent: 0x0000_0010,
  sensitiveDataOrigin: 0x0000_0020,
  userWithAuth: 0x0000_0040,
  adminWithPolicy: 0x0000_0080,
  noDa: 0x0000_0400,
  encryptedDuplication: 0x0000_0800,
  restricted: 0x0001_0000,
  decrypt: 0x0002_0000,
  sign: 0x0004_0000,
} as const;

/** Where the TCG's registry has EK certificates, and which template of the EK Credential Profile each belongs to. */
export const EK_CERTIFICATE_INDEX = {
  "L-1": 0x01c00002,
  "L-2": 0x01c0000a,
  "H-1": 0x01c00012,
  "H-2": 0x01c00014,
  "H-3": 0x01c00016,
  "H-6": 0x01c0001c,
  "H-7": 0x01c0001e,
} as const;

// TPM algorithm numbers ↔ the product's names. What is not in the tables is `unsupported`, SHA-1 with intent.

const HASHES: ReadonlyMap<number, HashName> = new Map([
  [ALGORITHM.sha256, "sha256"],
  [ALGORITHM.sha384, "sha384"],
  [ALGORITHM.sha512, "sha512"],
]);

const CURVES_BY_ID: ReadonlyMap<number, Curve> = new Map([
  [CURVE_ID.p256, "P-256"],
  [CURVE_ID.p384, "P-384"],
  [CURVE_ID.p521, "P-521"],
]);

export function hashOf(algorithm: number): HashName {
  const hash = HASHES.get(algorithm);
  if (hash === undefined)
    throw new Fault("unsupported", `TPM hash must be SHA-256, SHA-384 or SHA-512, got 0x${algorithm.toString(16)}`);
  return hash;
}

export function curveOf(curveId: number): Curve {
  const curve = CURVES_BY_ID.get(curveId);
  if (curve === undefined)
    throw new Fault("unsupported", `TPM curve must be P-256, P-384 or P-521, got 0x${curveId.toString(16)}`);
  return curve;
}
