// A TPM's keys in software, for tests of the controller's side: what a TPM would answer, and what a forger would.
import { createDecipheriv, createECDH, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { concatBytes, parseBase64Url } from "../../src/kernel/bytes/index.ts";
import { kdfa, kdfe } from "../../src/kernel/tpm/credential.ts";
import {
  AK_TEMPLATES,
  ALGORITHM,
  type Credential,
  EK_TEMPLATES,
  HANDLE,
  nameOf,
  type PublicArea,
  parsePublicArea,
  pcrDigestOf,
  qualifiedNameOfPrimary,
} from "../../src/kernel/tpm/index.ts";
import { encodePcrSelections } from "../../src/kernel/tpm/pcrs.ts";
import { encodePublicArea, type PublicAreaFields } from "../../src/kernel/tpm/public-area.ts";
import { encodeEcdsaSignature, encodeRsaSignature } from "../../src/kernel/tpm/signature.ts";

export interface QuoteOptions {
  readonly extraData: Uint8Array;
  readonly pcrs: readonly number[];
  readonly values: readonly Uint8Array[];
  readonly resetCount?: number;
  readonly clock?: bigint;
  /** Another hierarchy than the endorsement's, for forgers. */
  readonly hierarchy?: number;
}

export interface SoftTpm {
  readonly ek: PublicArea;
  readonly ak: PublicArea;
  /** ActivateCredential. */
  open(credential: Credential): Uint8Array;
  quote(options: QuoteOptions): { readonly attest: Uint8Array; readonly signature: Uint8Array };
}

export function aSoftTpm(
  options: { readonly ak?: "ecc" | "rsa"; readonly akFields?: Partial<PublicAreaFields> } = {},
): SoftTpm {
  const endorsement = createECDH("prime256v1");
  const point = endorsement.generateKeys();
  const x = new Uint8Array(point.subarray(1, 33));
  const y = new Uint8Array(point.subarray(33));
  const ek = parsePublicArea(encodePublicArea({ ...EK_TEMPLATES["L-2"], x, y } as PublicAreaFields));
  const { area: ak, key } = anAttestationKey(options.ak ?? "ecc", options.akFields ?? {});
  return {
    ek,
    ak,
    open: (credential) => open(credential, { endorsement, x, akName: nameOf(ak) }),
    quote: (wanted) => {
      const attest = attestOf(ak, wanted);
      return { attest, signature: signatureOf(ak, key, attest) };
    },
  };
}

function anAttestationKey(
  kind: "ecc" | "rsa",
  fields: Partial<PublicAreaFields>,
): { area: PublicArea; key: KeyObject } {
  const pair =
    kind === "ecc"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = pair.publicKey.export({ format: "jwk" });
  const coordinate = (text: string | undefined) => parseBase64Url(text ?? "");
  const own = kind === "ecc" ? { x: coordinate(jwk.x), y: coordinate(jwk.y) } : { modulus: coordinate(jwk.n) };
  const area = parsePublicArea(encodePublicArea({ ...AK_TEMPLATES[kind], ...own, ...fields } as PublicAreaFields));
  return { area, key: createPrivateKey(pair.privateKey.export({ type: "pkcs8", format: "pem" })) };
}

function open(
  { credentialBlob, encryptedSecret }: Credential,
  keys: { readonly endorsement: ReturnType<typeof createECDH>; readonly x: Uint8Array; readonly akName: Uint8Array },
): Uint8Array {
  const x = encryptedSecret.subarray(4, 36);
  const shared = keys.endorsement.computeSecret(concatBytes([Uint8Array.of(4), x, encryptedSecret.subarray(38)]));
  const common = { hash: "sha256", partyV: new Uint8Array() } as const;
  const seed = kdfe({ ...common, secret: shared, label: "IDENTITY", partyU: x, partyV: keys.x, bits: 256 });
  const storage = kdfa({ ...common, secret: seed, label: "STORAGE", partyU: keys.akName, bits: 128 });
  const decipher = createDecipheriv("aes-128-cfb", storage, new Uint8Array(16));
  return new Uint8Array(decipher.update(credentialBlob.subarray(36)).subarray(2));
}

function attestOf(ak: PublicArea, options: QuoteOptions): Uint8Array {
  const { extraData, pcrs, values, resetCount = 2, clock = 1_000n, hierarchy = HANDLE.endorsement } = options;
  const head = Buffer.alloc(6);
  head.writeUInt32BE(0xff544347);
  head.writeUInt16BE(0x8018, 4);
  const counters = Buffer.alloc(25);
  counters.writeBigUInt64BE(clock);
  counters.writeUInt32BE(resetCount, 8);
  counters.writeUInt8(1, 16);
  counters.writeBigUInt64BE(0x20191023n, 17);
  const signer = qualifiedNameOfPrimary(ak, hierarchy);
  const selection = encodePcrSelections([{ hash: ALGORITHM.sha256, pcrs }]);
  const parts = [
    head,
    sized(signer),
    sized(extraData),
    counters,
    selection,
    sized(pcrDigestOf(values, ALGORITHM.sha256)),
  ];
  return concatBytes(parts);
}

function sized(bytes: Uint8Array): Uint8Array {
  return concatBytes([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

function signatureOf(ak: PublicArea, key: KeyObject, attest: Uint8Array): Uint8Array {
  if (ak.type === "rsa") return encodeRsaSignature(ALGORITHM.sha256, sign("sha256", attest, key));
  const raw = sign("sha256", attest, { key, dsaEncoding: "ieee-p1363" });
  return encodeEcdsaSignature(ALGORITHM.sha256, { r: raw.subarray(0, 32), s: raw.subarray(32) });
}
