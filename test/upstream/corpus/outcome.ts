// What became of a request, in a form in which two clusters can be compared: conditions in full, and every field of the
// certificate but those that differ by nature (serial number, the CA's key and signature, and the very second).

import { type CertificateSigningRequest, findCondition } from "../../../src/api/certificates/index.ts";
import { encodeHex, parseBase64, parseUtf8 } from "../../../src/kernel/bytes/index.ts";
import { parsePem } from "../../../src/kernel/pem/index.ts";
import { parseCertificate } from "../../../src/kernel/x509/index.ts";

const AUTHORITY_KEY_ID = "2.5.29.35";

export function outcomeOf(csr: CertificateSigningRequest): object {
  const conditions = (csr.status?.conditions ?? []).map(({ type, status, reason, message }) => ({
    type,
    status,
    reason,
    message,
  }));
  const certificate = csr.status?.certificate;
  return { conditions, certificate: certificate === undefined ? undefined : fieldsOf(certificate) };
}

function fieldsOf(base64: string): object {
  const blocks = parsePem(parseUtf8(parseBase64(base64)));
  const { subject, publicKey, notBeforeMs, notAfterMs, extensions, serialNumber, issuer } = parseCertificate(
    blocks[0]?.bytes ?? new Uint8Array(),
  );
  return {
    blocks: blocks.map(({ label, headers }) => [label, headers]),
    subject: encodeHex(subject.raw),
    issuer: issuer.commonName,
    key: encodeHex(publicKey.spki),
    lifeMs: notAfterMs - notBeforeMs,
    serialIsPositive: serialNumber.some((octet) => octet !== 0),
    extensions: extensions
      .map(({ oid, critical, value }) => [oid, critical, oid === AUTHORITY_KEY_ID ? value.length : encodeHex(value)])
      .sort(),
  };
}

/** Nothing more will come: decided and carried out, or left as it is. */
export function isDone(csr: CertificateSigningRequest): boolean {
  if (findCondition(csr, "Approved") === undefined) return true;
  return csr.status?.certificate !== undefined || findCondition(csr, "Failed") !== undefined;
}
