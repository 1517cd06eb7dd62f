// Certificates and requests for tests: valid by default, spoiled by one override. Keys are real and fresh, P-256 unless
// said.
import {
  authorityKeyIdExtension,
  basicConstraintsExtension,
  type Certificate,
  type CertificateRequest,
  computeKeyId,
  type Extension,
  encodeName,
  keyUsageExtension,
  parseCertificate,
  parseCertificateRequest,
  parsePublicKey,
  signCertificate,
  signCertificateRequest,
  subjectKeyIdExtension,
} from "../../src/kernel/x509/index.ts";
import type { NameTemplate } from "../../src/kernel/x509/name.ts";
import { generatePrivateKey, type PrivateKey } from "../../src/platform/keys/index.ts";

export const TEST_NOW_MS = Date.UTC(2026, 5, 1);
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** A certificate with its private key: a leaf, or a CA one can issue from. */
export interface Holder {
  readonly certificate: Certificate;
  readonly key: PrivateKey;
}

export interface CertificateOverrides {
  readonly subject?: NameTemplate | Uint8Array;
  readonly key?: PrivateKey;
  readonly serialNumber?: Uint8Array;
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  /** In place of an extension of the same OID, or in addition. */
  readonly extensions?: readonly Extension[];
  /** OIDs of default extensions to leave out. */
  readonly without?: readonly string[];
}

export function aRoot(overrides: CertificateOverrides = {}): Holder {
  return issue(undefined, { subject: { commonName: "test-root" }, ...overrides }, caExtensions());
}

export function anIntermediate(issuer: Holder, overrides: CertificateOverrides = {}): Holder {
  return issue(issuer, { subject: { commonName: "test-intermediate" }, ...overrides }, caExtensions());
}

export function aLeaf(issuer: Holder, overrides: CertificateOverrides = {}): Holder {
  return issue(issuer, { subject: { commonName: "test-leaf" }, ...overrides }, [
    basicConstraintsExtension({ ca: false }),
    keyUsageExtension(["digitalSignature"]),
  ]);
}

/** A leaf for a key whose private half somebody else holds, such as a TPM. */
export function aLeafFor(issuer: Holder, publicKey: Uint8Array, overrides: CertificateOverrides = {}): Certificate {
  const own = generatePrivateKey("P-256");
  const key = { ...own, signer: { ...own.signer, publicKey } };
  return aLeaf(issuer, { ...overrides, key }).certificate;
}

export interface RequestOverrides {
  readonly subject?: NameTemplate | Uint8Array;
  readonly key?: PrivateKey;
  readonly extensions?: readonly Extension[];
}

/** By default what a kubelet asks for. */
export function aRequest(overrides: RequestOverrides = {}): { request: CertificateRequest; key: PrivateKey } {
  const { key = generatePrivateKey("P-256"), extensions = [] } = overrides;
  const subject = overrides.subject ?? { commonName: "system:node:worker-1", organizations: ["system:nodes"] };
  return { request: parseCertificateRequest(signCertificateRequest({ subject, extensions }, key.signer)), key };
}

function caExtensions(): readonly Extension[] {
  return [basicConstraintsExtension({ ca: true }), keyUsageExtension(["digitalSignature", "keyCertSign", "cRLSign"])];
}

function issue(issuer: Holder | undefined, overrides: CertificateOverrides, defaults: readonly Extension[]): Holder {
  const key = overrides.key ?? generatePrivateKey("P-256");
  const keyId = computeKeyId(parsePublicKey(key.signer.publicKey));
  const issuerKeyId = issuer?.certificate.subjectKeyId ?? keyId;
  const own = [...defaults, subjectKeyIdExtension(keyId), authorityKeyIdExtension(issuerKeyId)];
  const { subject = {}, serialNumber = Uint8Array.of(7), extensions = [], without = [] } = overrides;
  const replaced = new Set([...without, ...extensions.map(({ oid }) => oid)]);
  const rawSubject = subject instanceof Uint8Array ? subject : encodeName(subject);
  const der = signCertificate(
    {
      serialNumber,
      subject: rawSubject,
      issuer: issuer?.certificate.subject.raw ?? rawSubject,
      notBeforeMs: overrides.notBeforeMs ?? TEST_NOW_MS - YEAR_MS,
      notAfterMs: overrides.notAfterMs ?? TEST_NOW_MS + YEAR_MS,
      publicKey: key.signer.publicKey,
      extensions: [...own.filter(({ oid }) => !replaced.has(oid)), ...extensions],
    },
    (issuer?.key ?? key).signer,
  );
  return { certificate: parseCertificate(der), key };
}
