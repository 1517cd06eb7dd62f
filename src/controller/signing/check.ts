// Holds the finished certificate, read back from its bytes, against the request and the authority, before it leaves. It
// shares nothing with template.ts (a check in tools/layers.json), so that one mistake does not confirm itself: what a
// certificate of each kind must be is written down here a second time.

import { NODE_USER_PREFIX, NODES_GROUP, purposeOf } from "../../api/certificates/index.ts";
import { equalBytes } from "../../kernel/bytes/index.ts";
import {
  type Certificate,
  type CertificateRequest,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  type SubjectAltNames,
  verifyCertificateSignature,
} from "../../kernel/x509/index.ts";
import type { SigningFacts } from "./facts.ts";

/** Serial numbers are positive and have at most 20 octets (RFC 5280 §4.1.2.2). */
const SERIAL_MAX_OCTETS = 20;
/** The backdating, and a second that rounding may add. */
const VALIDITY_SLACK_MS = 5 * 60_000 + 1_000;
const MIN_LIFETIME_MS = 600_000;

const OID_KEY_USAGE = "2.5.29.15";
const OID_SUBJECT_ALT_NAME = "2.5.29.17";
const OID_BASIC_CONSTRAINTS = "2.5.29.19";
const OID_AUTHORITY_KEY_ID = "2.5.29.35";
const OID_EXT_KEY_USAGE = "2.5.29.37";
/** What may be in the certificate, and whether it is critical. */
const EXTENSIONS: ReadonlyMap<string, boolean> = new Map([
  [OID_KEY_USAGE, true],
  [OID_BASIC_CONSTRAINTS, true],
  [OID_EXT_KEY_USAGE, false],
  [OID_AUTHORITY_KEY_ID, false],
  [OID_SUBJECT_ALT_NAME, false],
]);

interface Checked {
  readonly certificate: Certificate;
  readonly request: CertificateRequest;
  readonly facts: SigningFacts;
}

/** Each sentence that must hold of the finished certificate. */
const SENTENCES: Readonly<Record<string, (checked: Checked) => boolean>> = {
  "the issuer is the CA": ({ certificate, facts }) => equalBytes(certificate.issuer.raw, facts.ca.subject.raw),
  "the signature is the CA's": ({ certificate, facts }) => verifyCertificateSignature(certificate, facts.ca.publicKey),
  "the key is the one in the request": ({ certificate, request }) =>
    equalBytes(certificate.publicKey.spki, request.publicKey.spki),
  "the subject is the one in the request": ({ certificate: { subject }, request }) =>
    subject.commonName === request.subject.commonName &&
    isExactly(subject.organizations, request.subject.organizations) &&
    subject.attributes.every((one) => request.subject.attributes.some((asked) => isSameAttribute(one, asked))),
  "a node's subject is a node and nothing else": ({ certificate: { subject }, facts }) =>
    !isOfANode(facts) ||
    (subject.commonName?.startsWith(NODE_USER_PREFIX) === true && isExactly(subject.organizations, [NODES_GROUP])),
  "the serial number is positive and short": ({ certificate: { serialNumber } }) =>
    serialNumber.length <= SERIAL_MAX_OCTETS && serialNumber.some((octet) => octet !== 0),
  "it is valid now": ({ certificate, facts }) =>
    certificate.notBeforeMs <= facts.nowMs && facts.nowMs < certificate.notAfterMs,
  "it does not outlive the CA": ({ certificate, facts }) => certificate.notAfterMs <= facts.ca.notAfterMs,
  "it lives no longer than allowed and asked for": isShortEnough,
  "it is no CA": ({ certificate }) => certificate.basicConstraints?.ca === false,
  "it is for what its signer is for": ({ certificate, facts }) =>
    isExactly(certificate.extKeyUsage ?? [], [isServing(facts) ? EKU_SERVER_AUTH : EKU_CLIENT_AUTH]),
  "its key usages are those of the request": ({ certificate, facts: { csr } }) =>
    isExactly(
      certificate.keyUsage ?? [],
      KEY_USAGES.flatMap(([word, usage]) => (csr.spec.usages.includes(word) ? [usage] : [])),
    ),
  "its alternative names are those of the request": ({ certificate, request }) =>
    NAME_KINDS.every((kind) => isExactly(namesOf(certificate, kind), namesOf(request, kind))),
  "a node's client certificate has no alternative names": ({ certificate, facts }) =>
    isServing(facts) || !isOfANode(facts) || certificate.subjectAltNames === undefined,
  "it has known extensions only, critical where they must be": ({ certificate }) =>
    certificate.extensions.every(
      ({ oid, critical }) => EXTENSIONS.get(oid) === critical || isAllThereIs(certificate, oid),
    ),
  "it names the CA's key": ({ certificate: { authorityKeyId }, facts: { ca } }) =>
    ca.subjectKeyId === undefined
      ? authorityKeyId === undefined
      : authorityKeyId !== undefined && equalBytes(authorityKeyId, ca.subjectKeyId),
};
const SENTENCE_LIST = Object.entries(SENTENCES);

const KEY_USAGES = [
  ["digital signature", "digitalSignature"],
  ["key encipherment", "keyEncipherment"],
] as const;
const NAME_KINDS = ["dnsNames", "emails", "ipAddresses", "uris"] as const;

function namesOf(
  { subjectAltNames }: { readonly subjectAltNames: SubjectAltNames | undefined },
  kind: (typeof NAME_KINDS)[number],
): readonly string[] {
  return subjectAltNames?.[kind] ?? [];
}

/** Alternative names are critical where there is no subject (RFC 5280 §4.2.1.6). */
function isAllThereIs({ subject }: Certificate, oid: string): boolean {
  return oid === OID_SUBJECT_ALT_NAME && subject.attributes.length === 0;
}

/** An unknown signer is treated as the strictest one. */
function isOfANode({ csr }: SigningFacts): boolean {
  return purposeOf(csr.spec.signerName) !== "ApiClient";
}

function isServing({ csr }: SigningFacts): boolean {
  return purposeOf(csr.spec.signerName) === "NodeServing";
}

type Attribute = Certificate["subject"]["attributes"][number];

function isSameAttribute(one: Attribute, other: Attribute): boolean {
  return one.oid === other.oid && one.value === other.value;
}

/** The sentences that do not hold; empty when the certificate may leave. */
export function checkCertificate(
  certificate: Certificate,
  request: CertificateRequest,
  facts: SigningFacts,
): readonly string[] {
  const checked = { certificate, request, facts };
  return SENTENCE_LIST.flatMap(([sentence, holds]) => (holds(checked) ? [] : [sentence]));
}

function isShortEnough({ certificate, facts: { csr, lifetimeMs } }: Checked): boolean {
  const lifeMs = certificate.notAfterMs - certificate.notBeforeMs;
  const { expirationSeconds } = csr.spec;
  const longestMs =
    expirationSeconds === undefined
      ? lifetimeMs
      : Math.max(Math.min(expirationSeconds * 1_000, lifetimeMs), MIN_LIFETIME_MS);
  return lifeMs <= longestMs + VALIDITY_SLACK_MS;
}

function isExactly(values: readonly string[], expected: readonly string[]): boolean {
  return values.length === expected.length && expected.every((value) => values.includes(value));
}
