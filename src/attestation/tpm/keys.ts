// The machine's two keys: "Keys of the machine" in docs/protocols/attestation.md. The endorsement key is chosen in the
// same way each time, because it will be pinned.

import { encodeHex, equalBytes } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import {
  AK_TEMPLATES,
  CURVE_ID,
  createPrimary,
  cutNvCertificate,
  EK_CERTIFICATE_INDEX,
  EK_TEMPLATE_NAMES,
  EK_TEMPLATES,
  type EkTemplateName,
  getCurves,
  HANDLE,
  type LoadedKey,
  parsePublicArea,
  publicKeyOf,
} from "../../kernel/tpm/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import {
  DEFAULT_TPM_ADDRESS,
  openTpm,
  readNv,
  type Tpm,
  withPrimaries,
  withPrimary,
} from "../../platform/tpm/index.ts";
import type { OpenOptions } from "../provider.ts";
import { explainTpm } from "./explain.ts";

export interface TpmIdentity {
  readonly template: EkTemplateName;
  /** TPMT_PUBLIC. */
  readonly ek: Uint8Array;
  /** DER, the EK certificate first; empty where the maker left none. */
  readonly ekChain: readonly Uint8Array[];
  readonly akKind: "ecc" | "rsa";
  /** TPMT_PUBLIC. */
  readonly ak: Uint8Array;
}

export async function readTpmIdentity(tpm: Tpm, wanted?: EkTemplateName): Promise<TpmIdentity> {
  const endorsement = await chooseEndorsementKey(tpm, wanted);
  const akKind = await readAttestationKind(tpm);
  const ak = await withAttestationKey(tpm, akKind, async ({ publicArea }) => publicArea.raw);
  return { ...endorsement, akKind, ak };
}

/** On P-256 wherever the TPM knows that curve. */
export async function readAttestationKind(tpm: Tpm): Promise<TpmIdentity["akKind"]> {
  return (await tpm.send(getCurves())).includes(CURVE_ID.p256) ? "ecc" : "rsa";
}

function withEndorsementKey<T>(tpm: Tpm, template: EkTemplateName, use: (key: LoadedKey) => Promise<T>): Promise<T> {
  return withPrimary(tpm, makeEndorsementKey(template), use);
}

export function withAttestationKey<T>(tpm: Tpm, kind: "ecc" | "rsa", use: (key: LoadedKey) => Promise<T>): Promise<T> {
  return withPrimary(tpm, makeAttestationKey(kind), use);
}

export interface LoadedKeys {
  readonly ek: LoadedKey;
  readonly ak: LoadedKey;
}

export function withBothKeys<T>(
  tpm: Tpm,
  { template, akKind }: Pick<TpmIdentity, "template" | "akKind">,
  use: (keys: LoadedKeys) => Promise<T>,
): Promise<T> {
  return withPrimaries(tpm, { ek: makeEndorsementKey(template), ak: makeAttestationKey(akKind) }, use);
}

function makeEndorsementKey(template: EkTemplateName) {
  return createPrimary(HANDLE.endorsement, EK_TEMPLATES[template]);
}

function makeAttestationKey(kind: TpmIdentity["akKind"]) {
  return createPrimary(HANDLE.endorsement, AK_TEMPLATES[kind]);
}

type Endorsement = Pick<TpmIdentity, "template" | "ek" | "ekChain">;

async function chooseEndorsementKey(tpm: Tpm, wanted: EkTemplateName | undefined): Promise<Endorsement> {
  if (wanted !== undefined) return (await certifiedKey(tpm, wanted)) ?? plainKey(tpm, wanted);
  for (const template of EK_TEMPLATE_NAMES) {
    const certified = await certifiedKey(tpm, template);
    if (certified !== undefined) return certified;
  }
  return plainKey(tpm, "L-1");
}

async function plainKey(tpm: Tpm, template: EkTemplateName): Promise<Endorsement> {
  const ek = await withEndorsementKey(tpm, template, async ({ publicArea }) => publicArea.raw);
  return { template, ek, ekChain: [] };
}

/**
 * Undefined where there is no certificate, or one for another key than the template gives: such a pair proves nothing.
 */
async function certifiedKey(tpm: Tpm, template: EkTemplateName): Promise<Endorsement | undefined> {
  const content = await readNv(tpm, EK_CERTIFICATE_INDEX[template]);
  const certificate = content === undefined ? undefined : readCertificate(content);
  if (certificate === undefined) return undefined;
  return withEndorsementKey(tpm, template, async ({ publicArea }) => {
    const isFor = equalBytes(publicKeyOf(publicArea).spki, certificate.publicKey.spki);
    return isFor ? { template, ek: publicArea.raw, ekChain: [certificate.raw] } : undefined;
  });
}

/** What a maker left in NV storage that we cannot read is as good as nothing; the next template is looked at. */
function readCertificate(content: Uint8Array) {
  try {
    return parseCertificate(cutNvCertificate(content));
  } catch (failure) {
    if (isFault(failure)) return undefined;
    throw failure;
  }
}

export interface EndorsementKeySummary {
  /** SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex. */
  readonly spkiSha256: string;
  readonly algorithm: string;
  /** Whether the maker left a certificate for it. */
  readonly isCertified: boolean;
}

export async function readEndorsementKey(
  options: OpenOptions,
  address: string = DEFAULT_TPM_ADDRESS,
): Promise<EndorsementKeySummary> {
  try {
    return await readOpen(await openTpm(address, options));
  } catch (failure) {
    throw explainTpm(failure);
  }
}

async function readOpen(tpm: Tpm): Promise<EndorsementKeySummary> {
  try {
    const { ek, ekChain } = await readTpmIdentity(tpm);
    const { spki, algorithm, bits, curve } = publicKeyOf(parsePublicArea(ek));
    const spkiSha256 = encodeHex(sha256(spki));
    return { spkiSha256, algorithm: `${algorithm} ${curve ?? bits ?? ""}`.trim(), isCertified: ekChain.length > 0 };
  } finally {
    await tpm.close();
  }
}
