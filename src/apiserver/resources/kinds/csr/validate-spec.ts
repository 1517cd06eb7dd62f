// What a CSR must ask for: kubernetes/pkg/apis/certificates/validation. The proof of possession of its key is verified
// before (REQUEST_PROOF).

import type { CertificateSigningRequest, CsrSpec } from "../../../../api/certificates/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../../../api/pem/index.ts";
import { isFault } from "../../../../kernel/outcome/index.ts";
import { type CertificateRequest, parseCertificateRequest } from "../../../../kernel/x509/index.ts";
import { duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from "../../field-error.ts";
import { dnsLabel, dnsSubdomain } from "../../names.ts";
import type { Proof } from "../../strategy.ts";

/** Ten minutes: shorter certificates would be renewed all the time. */
const MIN_EXPIRATION_SECONDS = 600;
const MAX_DOMAIN = 253;
/** Domain, slash, and a path of a subdomain, a dot and a label. */
const MAX_SIGNER_NAME = MAX_DOMAIN + 1 + 253 + 1 + 63;

const USAGES: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const NOT_SIGNED = "x509: signature of the certificate request does not verify";

/** Proof of possession: the request is signed by the key that it requests a certificate for. */
export const REQUEST_PROOF: Proof<CertificateSigningRequest> = {
  signed: ({ spec }) => {
    const read = readRequest(spec);
    if ("problem" in read) return undefined;
    const { signatureAlgorithm: algorithm, tbs: bytes, signature, publicKey: key } = read.request;
    return algorithm === "unsupported" ? undefined : { key, signed: { algorithm, bytes, signature } };
  },
  refuse: ({ spec }) => invalid("spec.request", spec.request, NOT_SIGNED),
};

export function validateSpec(spec: CsrSpec): readonly FieldError[] {
  return [
    ...requestErrors(spec),
    ...signerErrors(spec.signerName ?? ""),
    ...expirationErrors(spec.expirationSeconds),
    ...usageErrors(spec.usages ?? []),
  ];
}

function requestErrors(spec: CsrSpec): readonly FieldError[] {
  const read = readRequest(spec);
  if ("problem" in read) return [invalid("spec.request", spec.request ?? "", read.problem)];
  return read.request.signatureAlgorithm === "unsupported" ? [invalid("spec.request", spec.request, NOT_SIGNED)] : [];
}

function signerErrors(signer: string): readonly FieldError[] {
  const field = "spec.signerName";
  if (signer === "") return [required(field)];
  if (signer === "kubernetes.io/legacy-unknown") {
    return [invalid(field, signer, "the legacy signerName is not allowed via this API version")];
  }
  const segments = signer.split("/");
  const [domain = "", path = ""] = segments;
  if (segments.length !== 2) {
    return [invalid(field, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  }
  const labels = domain.split(".");
  return [
    ...(domain.length > MAX_DOMAIN ? [tooLong(field, MAX_DOMAIN)] : []),
    ...(labels.length < 2
      ? [invalid(field, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...labels.flatMap((label) =>
      dnsLabel(label).map((text) => invalid(field, domain, `validating label "${label}": ${text}`)),
    ),
    ...path
      .split(".")
      .flatMap((label) =>
        dnsSubdomain(label).map((text) => invalid(field, path, `validating label "${label}": ${text}`)),
      ),
    ...(signer.length > MAX_SIGNER_NAME ? [tooLong(field, MAX_SIGNER_NAME)] : []),
  ];
}

function expirationErrors(seconds: number | undefined): readonly FieldError[] {
  if (seconds === undefined || seconds >= MIN_EXPIRATION_SECONDS) return [];
  const detail = `may not specify a duration less than ${MIN_EXPIRATION_SECONDS} seconds (10 minutes)`;
  return [invalid("spec.expirationSeconds", seconds, detail)];
}

function usageErrors(usages: readonly string[]): readonly FieldError[] {
  if (usages.length === 0) return [required("spec.usages")];
  // More usages than exist: at least one is repeated or unknown, and checking each would only make the answer longer.
  if (usages.length > USAGES.length) return [tooMany("spec.usages", usages.length, USAGES.length)];
  const seen = new Set<string>();
  return usages.flatMap((usage, at) => {
    const field = `spec.usages[${at}]`;
    const repeated = seen.has(usage);
    seen.add(usage);
    return [
      ...(USAGES.includes(usage) ? [] : [notSupported(field, usage, USAGES)]),
      ...(repeated ? [duplicate(field, usage)] : []),
    ];
  });
}

type ReadRequest = { readonly request: CertificateRequest } | { readonly problem: string };

/** By spec: objects are immutable, so a changed spec is another value. */
const known = new WeakMap<CsrSpec, ReadRequest>();

/**
 * The PKCS#10 in a CSR, parsed once for the proof of its signature and for the rules. Only the first well-formed PEM
 * block counts; what follows it, such as attestation evidence, is stored as it came.
 */
export function readRequest(spec: CsrSpec): ReadRequest {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const read = parseRequest(spec.request ?? "");
  known.set(spec, read);
  return read;
}

function parseRequest(field: string): ReadRequest {
  try {
    const [block] = parsePemField(field).blocks;
    if (block?.label !== REQUEST_LABEL) return { problem: "PEM block type must be CERTIFICATE REQUEST" };
    return { request: parseCertificateRequest(block.bytes) };
  } catch (error) {
    if (isFault(error)) return { problem: error.message };
    throw error;
  }
}
