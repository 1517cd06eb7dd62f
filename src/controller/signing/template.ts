// Facts → what shall be in the certificate, with kube-controller-manager's numbers. The subject is written anew from the
// two values that were judged, so that no encoding of the requester's choosing reaches a certificate; of the requested
// extensions none is copied.

import { Fault } from "../../kernel/outcome/index.ts";
import {
  authorityKeyIdExtension,
  basicConstraintsExtension,
  type CertificateRequest,
  type CertificateTemplate,
  EKU_CLIENT_AUTH,
  type Extension,
  extKeyUsageExtension,
  type KeyUsage,
  keyUsageExtension,
} from "../../kernel/x509/index.ts";
import type { SigningFacts } from "./facts.ts";

/** Clocks of nodes run behind: a certificate that begins "now" would not be valid yet where it is used first. */
const BACKDATE_MS = 5 * 60_000;
/** The API server refuses requests for less. */
const MIN_LIFETIME_MS = 600_000;
/** From here on the backdating is taken off the end; a shorter life would lose too much of itself. */
const LONG_LIFETIME_MS = 8 * 3_600_000;

export function planCertificate(facts: SigningFacts, request: CertificateRequest): CertificateTemplate {
  const { commonName, organizations } = request.subject;
  return {
    serialNumber: facts.serialNumber,
    issuer: facts.ca.subject.raw,
    subject: { ...(commonName === undefined ? {} : { commonName }), organizations },
    publicKey: request.publicKey.spki,
    ...validityOf(facts),
    extensions: extensionsOf(facts),
  };
}

function validityOf({ nowMs, ca, lifetimeMs, csr }: SigningFacts): { notBeforeMs: number; notAfterMs: number } {
  if (nowMs >= ca.notAfterMs) {
    throw new Fault("bad-config", `the CA certificate expired at ${new Date(ca.notAfterMs).toISOString()}`);
  }
  const askedMs = (csr.spec.expirationSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const lifeMs = Math.max(Math.min(askedMs, lifetimeMs), MIN_LIFETIME_MS);
  const endMs = nowMs + (lifeMs < LONG_LIFETIME_MS ? lifeMs : lifeMs - BACKDATE_MS);
  return { notBeforeMs: wholeSeconds(nowMs - BACKDATE_MS), notAfterMs: Math.min(wholeSeconds(endMs), ca.notAfterMs) };
}

/** X.509 knows no fractions. */
function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function extensionsOf({ csr, ca }: SigningFacts): Extension[] {
  const keyUsages = csr.spec.usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const extKeyUsages = csr.spec.usages.flatMap((usage) => EXT_KEY_USAGES[usage] ?? []);
  return [
    keyUsageExtension(keyUsages),
    extKeyUsageExtension(extKeyUsages),
    basicConstraintsExtension({ ca: false }),
    ...(ca.subjectKeyId === undefined ? [] : [authorityKeyIdExtension(ca.subjectKeyId)]),
  ];
}

/** The usages that the rules of our signers let through. */
const KEY_USAGES: Readonly<Record<string, KeyUsage>> = {
  "digital signature": "digitalSignature",
  "key encipherment": "keyEncipherment",
};
const EXT_KEY_USAGES: Readonly<Record<string, string>> = { "client auth": EKU_CLIENT_AUTH };
