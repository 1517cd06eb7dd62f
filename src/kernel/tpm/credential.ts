// MakeCredential in software (part 1, §24): a secret that only the TPM with this endorsement key opens, and only while
// it holds the private half of the object with this Name. Pure: all randomness is handed in. Every hash is the
// endorsement key's.

import { concatBytes, encodeUtf8 } from "../bytes/index.ts";
import {
  agree,
  digest,
  encryptCfb,
  encryptOaep,
  HASH_OCTETS,
  type HashName,
  hmac,
  publicPointOf,
} from "../crypto/index.ts";
import { Fault } from "../outcome/index.ts";
import { sized, u32 } from "./codec.ts";
import { ALGORITHM, curveOf, hashOf } from "./constants.ts";
import { exponentOf, pointOf, publicKeyOf } from "./key-info.ts";
import type { EccPublicFields, PublicArea, RsaPublicFields } from "./public-area.ts";

/** For an RSA key: `seed` and `oaepSeed`, each as long as the key's digest. For an ECC key: a fresh private scalar. */
export type CredentialRandomness =
  | { readonly kind: "rsa"; readonly seed: Uint8Array; readonly oaepSeed: Uint8Array }
  | { readonly kind: "ecc"; readonly scalar: Uint8Array };

interface CredentialInput {
  readonly endorsementKey: PublicArea;
  /** Of the object that must be loaded beside it. */
  readonly objectName: Uint8Array;
  /** At most as long as the endorsement key's digest. */
  readonly secret: Uint8Array;
  readonly randomness: CredentialRandomness;
}

/** Both with their sizes in front, as TPM commands carry them. */
export interface Credential {
  /** TPM2B_ID_OBJECT. */
  readonly credentialBlob: Uint8Array;
  /** TPM2B_ENCRYPTED_SECRET. */
  readonly encryptedSecret: Uint8Array;
}

const LABEL = "IDENTITY";
const NOTHING = new Uint8Array();

export function makeCredential(input: CredentialInput): Credential {
  const { endorsementKey, objectName, secret } = input;
  const hash = hashOf(endorsementKey.nameAlgorithm);
  if (secret.length > HASH_OCTETS[hash])
    throw new Fault("invalid", "secret of a credential must not be longer than the endorsement key's digest");
  const { seed, encryptedSecret } = encapsulate(input, hash);
  const bits = symmetricBitsOf(endorsementKey);
  const storageKey = kdfa({ hash, secret: seed, label: "STORAGE", partyU: objectName, partyV: NOTHING, bits });
  const identity = encryptCfb(storageKey, sized(secret));
  const integrityKey = kdfa({
    hash,
    secret: seed,
    label: "INTEGRITY",
    partyU: NOTHING,
    partyV: NOTHING,
    bits: HASH_OCTETS[hash] * 8,
  });
  const integrity = hmac(hash, integrityKey, concatBytes([identity, objectName]));
  return {
    credentialBlob: sized(concatBytes([sized(integrity), identity])),
    encryptedSecret: sized(encryptedSecret),
  };
}

function symmetricBitsOf({ symmetric }: PublicArea): number {
  const isUsable = symmetric?.algorithm === ALGORITHM.aes && symmetric.mode === ALGORITHM.cfb;
  if (!isUsable || (symmetric.keyBits !== 128 && symmetric.keyBits !== 256))
    throw new Fault("unsupported", "endorsement key must protect with AES-128 or AES-256 in CFB mode");
  return symmetric.keyBits;
}

interface Encapsulation {
  readonly seed: Uint8Array;
  readonly encryptedSecret: Uint8Array;
}

function encapsulate({ endorsementKey, randomness }: CredentialInput, hash: HashName): Encapsulation {
  publicKeyOf(endorsementKey); // a modulus or point that is no key ends here
  if (endorsementKey.type === "rsa" && randomness.kind === "rsa")
    return encapsulateRsa(endorsementKey, randomness, hash);
  if (endorsementKey.type === "ecc" && randomness.kind === "ecc")
    return encapsulateEcc(endorsementKey, randomness, hash);
  throw new Fault("invalid", `randomness must be for a key of type ${endorsementKey.type}`);
}

function encapsulateRsa(
  key: RsaPublicFields,
  { seed, oaepSeed }: { readonly seed: Uint8Array; readonly oaepSeed: Uint8Array },
  hash: HashName,
): Encapsulation {
  const options = { modulus: key.modulus, exponent: exponentOf(key), hash, label: encodeUtf8(`${LABEL}\0`) };
  return { seed, encryptedSecret: encryptOaep({ ...options, seed: oaepSeed }, seed) };
}

function encapsulateEcc(
  key: EccPublicFields,
  { scalar }: { readonly scalar: Uint8Array },
  hash: HashName,
): Encapsulation {
  const curve = curveOf(key.curveId);
  const own = pointOf(key);
  const ephemeral = publicPointOf(curve, scalar);
  const shared = agree(curve, scalar, own);
  const bits = HASH_OCTETS[hash] * 8;
  const seed = kdfe({ hash, secret: shared, label: LABEL, partyU: ephemeral.x, partyV: own.x, bits });
  return { seed, encryptedSecret: concatBytes([sized(ephemeral.x), sized(ephemeral.y)]) };
}

// The two key derivations of a TPM (part 1, §11.4.10): KDFa over HMAC (SP 800-108), KDFe over a hash (SP 800-56A).

interface KdfInput {
  readonly hash: HashName;
  /** KDFa: the key. KDFe: the shared x coordinate, padded. */
  readonly secret: Uint8Array;
  /** Without its terminating zero octet, which is added here. */
  readonly label: string;
  readonly partyU: Uint8Array;
  readonly partyV: Uint8Array;
  /** A multiple of eight: the only lengths credentials need. */
  readonly bits: number;
}

export function kdfa(input: KdfInput): Uint8Array {
  const { hash, secret, label, partyU, partyV, bits } = input;
  const tail = concatBytes([encodeUtf8(`${label}\0`), partyU, partyV, u32(bits)]);
  return collect(input, (counter) => hmac(hash, secret, concatBytes([counter, tail])));
}

export function kdfe(input: KdfInput): Uint8Array {
  const { hash, secret, label, partyU, partyV } = input;
  const tail = concatBytes([secret, encodeUtf8(`${label}\0`), partyU, partyV]);
  return collect(input, (counter) => digest(hash, concatBytes([counter, tail])));
}

function collect({ hash, bits }: KdfInput, block: (counter: Uint8Array) => Uint8Array): Uint8Array {
  const octets = bits / 8;
  const blocks: Uint8Array[] = [];
  for (let counter = 1; (counter - 1) * HASH_OCTETS[hash] < octets; counter++) blocks.push(block(u32(counter)));
  return concatBytes(blocks).subarray(0, octets);
}
