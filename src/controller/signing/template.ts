// Facts → what shall be in the certificate, field by field as kube-controller-manager has it: subject and names of the
// request, usages of the spec, its numbers for the validity. Of the requested extensions none is copied but the
// alternative names.
// Upstream: pkg/controller/certificates/authority/{authority,policies}.go.

import { encodeDirectoryString, encodeOid, encodeSequence, encodeSetOf } from "../../kernel/der/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  authorityKeyIdExtension,
  basicConstraintsExtension,
  type CertificateRequest,
  type CertificateTemplate,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type Extension,
  extKeyUsageExtension,
  type KeyUsage,
  keyUsageExtension,
  type Name,
  type SubjectAltNames,
  subjectAltNameExtension,
} from "../../kernel/x509/index.ts";
import type { SigningFacts } from "./facts.ts";

/** Clocks of nodes run behind: a certificate that begins "now" would not be valid yet where it is used first. */
const BACKDATE_MS = 5 * 60_000;
/** The API server refuses requests for less. */
const MIN_LIFETIME_MS = 600_000;
/** From here on the backdating is taken off the end; a shorter life would lose too much of itself. */
const LONG_LIFETIME_MS = 8 * 3_600_000;

export function planCertificate(facts: SigningFacts, request: CertificateRequest): CertificateTemplate {
  return {
    serialNumber: facts.serialNumber,
    issuer: facts.ca.subject.raw,
    subject: rewriteSubject(request.subject),
    publicKey: request.publicKey.spki,
    ...validityOf(facts),
    extensions: extensionsOf(facts, request),
  };
}

function validityOf({ nowMs, ca, lifetimeMs, csr }: SigningFacts): { notBeforeMs: number; notAfterMs: number } {
  if (nowMs >= ca.notAfterMs) {
    throw new Fault("bad-config", `the CA certificate expired at ${new Date(ca.notAfterMs).toISOString()}`);
  }
  const { expirationSeconds } = csr.spec;
  // As upstream: a wish is kept above the least that can be wished for; a short life that the operator set is what he
  // set.
  const lifeMs =
    expirationSeconds === undefined
      ? lifetimeMs
      : Math.max(Math.min(expirationSeconds * 1_000, lifetimeMs), MIN_LIFETIME_MS);
  const endMs = nowMs + (lifeMs < LONG_LIFETIME_MS ? lifeMs : lifeMs - BACKDATE_MS);
  return { notBeforeMs: wholeSeconds(nowMs - BACKDATE_MS), notAfterMs: Math.min(wholeSeconds(endMs), ca.notAfterMs) };
}

/** X.509 knows no fractions. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function extensionsOf({ csr, ca }: SigningFacts, { subject, subjectAltNames }: CertificateRequest): Extension[] {
  const keyUsages = csr.spec.usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const extKeyUsages = csr.spec.usages.flatMap((usage) => EXT_KEY_USAGES[usage] ?? []);
  return [
    ...(keyUsages.length === 0 ? [] : [keyUsageExtension(keyUsages)]),
    extKeyUsageExtension(extKeyUsages),
    basicConstraintsExtension({ ca: false }),
    ...(ca.subjectKeyId === undefined ? [] : [authorityKeyIdExtension(ca.subjectKeyId)]),
    ...(subjectAltNames === undefined || countOf(subjectAltNames) === 0
      ? []
      : [{ ...subjectAltNameExtension(subjectAltNames), critical: subject.attributes.length === 0 }]),
  ];
}

function countOf({ dnsNames, emails, ipAddresses, uris }: SubjectAltNames): number {
  return dnsNames.length + emails.length + ipAddresses.length + uris.length;
}

/** The usages that the rules of our signers let through. */
const KEY_USAGES: Readonly<Record<string, KeyUsage>> = {
  "digital signature": "digitalSignature",
  "key encipherment": "keyEncipherment",
};
const EXT_KEY_USAGES: Readonly<Record<string, string>> = {
  "client auth": EKU_CLIENT_AUTH,
  "server auth": EKU_SERVER_AUTH,
};

// The subject of a certificate out of the subject of its request, as Go writes one that it has read: the attributes it
// knows, in its order, several values of one kind as one set; what it does not know is left out. So
// kube-controller-manager's certificates look, and no encoding of the requester's choosing reaches a certificate. Pure.
/** X.520, in the order of Go's pkix.Name; of the last two Go keeps one value, the last. */
const LISTED = ["2.5.4.6", "2.5.4.10", "2.5.4.11", "2.5.4.7", "2.5.4.8", "2.5.4.9", "2.5.4.17"];
const SINGLE = ["2.5.4.3", "2.5.4.5"];

function rewriteSubject({ attributes }: Name): Uint8Array {
  const valuesOf = (oid: string) => attributes.filter((attribute) => attribute.oid === oid).map(({ value }) => value);
  const sets = [
    ...LISTED.map((oid) => ({ oid, values: valuesOf(oid) })),
    ...SINGLE.map((oid) => ({
      oid,
      values: valuesOf(oid)
        .slice(-1)
        .filter((value) => value !== ""),
    })),
  ];
  return encodeSequence(
    sets
      .filter(({ values }) => values.length > 0)
      .map(({ oid, values }) =>
        encodeSetOf(values.map((value) => encodeSequence([encodeOid(oid), encodeDirectoryString(value)]))),
      ),
  );
}
