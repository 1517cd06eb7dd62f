// Templates of the keys the product uses. Endorsement keys: TCG EK Credential Profile 2.5, annex B; the same template
// gives the same key on the same TPM for ever. The attestation key: Countersign's own, in the endorsement hierarchy,
// made anew from its template at each use, so it needs no storage, comes back after re-imaging, and no other TPM has it
// attestation key. The storage key, under which keys at rest are sealed, is made in the same way and for the same
// reasons.
import { encodeUtf8, parseHex } from "../bytes/index.ts";
import { sha256 } from "../crypto/index.ts";
import { ALGORITHM, CURVE_ID } from "./constants.ts";
import type { EccPublicFields, PublicAreaFields, RsaPublicFields, SymmetricParameters } from "./public-area.ts";

const EMPTY = new Uint8Array();

/** PolicySecret(endorsement hierarchy): the policy of the low range, by nameAlg. */
export const POLICY_A_SHA256 = parseHex("837197674484b3f81a90cc8d46a5d724fd52d76e06520b64f2a1da1b331469aa");
/** PolicyOR(PolicyA, PolicyAuthorizeNV): the policies of the high range. */
export const POLICY_B_SHA256 = parseHex("ca3d0a99a2b93906f7a3342414efcfb3a385d44cd1fd459089d19b5071c0b7a0");
export const POLICY_B_SHA384 = parseHex(
  "b26e7d28d11a50bc53d882bcf5fd3a1a074148bb35d3b4e4cb1c0ad9bde419cacb47ba09699646150f9fc000f3f80e12",
);

/** fixedTPM, fixedParent, sensitiveDataOrigin, adminWithPolicy, restricted, decrypt. */
const EK_LOW_ATTRIBUTES = 0x000300b2;
/** The same with userWithAuth: an empty password opens it. */
const EK_HIGH_ATTRIBUTES = 0x000300f2;
/** fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, restricted, sign. */
export const AK_ATTRIBUTES = 0x00050072;

const AES_128: SymmetricParameters = { algorithm: ALGORITHM.aes, keyBits: 128, mode: ALGORITHM.cfb };
const AES_256: SymmetricParameters = { algorithm: ALGORITHM.aes, keyBits: 256, mode: ALGORITHM.cfb };

const LOW = {
  nameAlgorithm: ALGORITHM.sha256,
  attributes: EK_LOW_ATTRIBUTES,
  authPolicy: POLICY_A_SHA256,
  symmetric: AES_128,
  scheme: undefined,
};
const HIGH_256 = { ...LOW, attributes: EK_HIGH_ATTRIBUTES, authPolicy: POLICY_B_SHA256 };
const HIGH_384 = {
  nameAlgorithm: ALGORITHM.sha384,
  attributes: EK_HIGH_ATTRIBUTES,
  authPolicy: POLICY_B_SHA384,
  symmetric: AES_256,
  scheme: undefined,
};

function rsa(common: typeof LOW | typeof HIGH_384, keyBits: number, modulus: Uint8Array): RsaPublicFields {
  return { type: "rsa", ...common, keyBits, exponent: 0, modulus };
}

function ecc(common: typeof LOW | typeof HIGH_384, curveId: number, coordinate: Uint8Array): EccPublicFields {
  return { type: "ecc", ...common, curveId, kdf: undefined, x: coordinate, y: coordinate };
}

export const EK_TEMPLATE_NAMES = ["L-1", "L-2", "H-1", "H-2", "H-3", "H-6", "H-7"] as const;
export type EkTemplateName = (typeof EK_TEMPLATE_NAMES)[number];

/** By the profile's names; the low range fills `unique` with zeros, the high range leaves it empty. */
export const EK_TEMPLATES: Readonly<Record<EkTemplateName, PublicAreaFields>> = {
  "L-1": rsa(LOW, 2048, new Uint8Array(256)),
  "L-2": ecc(LOW, CURVE_ID.p256, new Uint8Array(32)),
  "H-1": rsa(HIGH_256, 2048, EMPTY),
  "H-2": ecc(HIGH_256, CURVE_ID.p256, EMPTY),
  "H-3": ecc(HIGH_384, CURVE_ID.p384, EMPTY),
  "H-6": rsa(HIGH_384, 3072, EMPTY),
  "H-7": rsa(HIGH_384, 4096, EMPTY),
};

/** Tells our attestation key from every other program's: another `unique`, another key. */
export const AK_UNIQUE = sha256(encodeUtf8("countersign.dev attestation key 1"));

const AK_COMMON = {
  nameAlgorithm: ALGORITHM.sha256,
  attributes: AK_ATTRIBUTES,
  authPolicy: EMPTY,
  symmetric: undefined,
};

export const AK_TEMPLATES: Readonly<Record<"ecc" | "rsa", PublicAreaFields>> = {
  ecc: {
    type: "ecc",
    ...AK_COMMON,
    scheme: { algorithm: ALGORITHM.ecdsa, hash: ALGORITHM.sha256 },
    curveId: CURVE_ID.p256,
    kdf: undefined,
    x: AK_UNIQUE,
    y: new Uint8Array(32),
  },
  rsa: {
    type: "rsa",
    ...AK_COMMON,
    scheme: { algorithm: ALGORITHM.rsassa, hash: ALGORITHM.sha256 },
    keyBits: 2048,
    exponent: 0,
    modulus: AK_UNIQUE,
  },
};

/** fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA, restricted, decrypt. */
export const STORAGE_ATTRIBUTES = 0x00030472;
/** Tells our storage key from every other program's. */
export const STORAGE_UNIQUE = sha256(encodeUtf8("countersign.dev storage key 1"));

const STORAGE_COMMON = {
  nameAlgorithm: ALGORITHM.sha256,
  attributes: STORAGE_ATTRIBUTES,
  authPolicy: EMPTY,
  symmetric: AES_128,
  scheme: undefined,
};

/** Parents of what is sealed to this TPM. No owner's password is needed, and a lockout does not stop them. */
export const STORAGE_TEMPLATES: Readonly<Record<"ecc" | "rsa", PublicAreaFields>> = {
  ecc: {
    type: "ecc",
    ...STORAGE_COMMON,
    curveId: CURVE_ID.p256,
    kdf: undefined,
    x: STORAGE_UNIQUE,
    y: new Uint8Array(32),
  },
  rsa: { type: "rsa", ...STORAGE_COMMON, keyBits: 2048, exponent: 0, modulus: STORAGE_UNIQUE },
};
