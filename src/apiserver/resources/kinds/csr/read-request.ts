// The PKCS #10 request in a CSR: read once for those who look at it on its way in, the one that verifies its signature and the
// rules. Only the first well-formed PEM block counts; what follows it (attestation evidence, for one) is kept as it came.

import type { CsrSpec } from "../../../../api/certificates/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../../../api/pem/index.ts";
import { isFault } from "../../../../kernel/outcome/index.ts";
import { type CertificateRequest, parseCertificateRequest } from "../../../../kernel/x509/index.ts";

export type ReadRequest = { readonly request: CertificateRequest } | { readonly problem: string };

/** By the spec, which nobody changes; a changed one is another. */
const known = new WeakMap<CsrSpec, ReadRequest>();

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
