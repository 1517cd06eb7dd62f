// `spec.request` → what it says. Synchronous and without I/O; gather calls it, signing calls it again for itself.
// What cannot be read is a reading too, with a reason: it is the requester's mistake, not an accident of ours.

import { type PemField, parsePemField, REQUEST_LABEL } from "../../api/pem/index.ts";
import { Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import { type CertificateRequest, parseCertificateRequest, verifyRequestSignature } from "../../kernel/x509/index.ts";
import type { RequestReading } from "./facts.ts";

/** A request with its evidence is some 6 KB (a TPM's certificates included); etcd would take 1.5 MB. */
const REQUEST_MAX_BYTES = 65_536;
const REQUEST_MAX_BASE64 = Math.ceil(REQUEST_MAX_BYTES / 3) * 4;

/** Counted in the text, not among the parsed blocks: a block that one reader skips as malformed, another may read. */
const REQUEST_BEGINNINGS = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/g;

/** What the parsers of the kernel say about bytes that are not what they should be. */
const UNREADABLE: ReadonlySet<FaultCode> = new Set(["malformed", "limit-exceeded", "unsupported"]);

export function readRequest(specRequest: string): RequestReading {
  if (specRequest.length > REQUEST_MAX_BASE64) {
    return unreadable("RequestIsTooLarge", `spec.request is larger than ${REQUEST_MAX_BYTES} bytes`);
  }
  try {
    const request = parseOnlyRequest(parsePemField(specRequest));
    return { kind: "Readable", request, signatureHolds: verifyRequestSignature(request) };
  } catch (error) {
    if (!isFault(error) || !UNREADABLE.has(error.code)) throw error;
    return unreadable("RequestIsUnreadable", `spec.request cannot be read: ${error.message}`);
  }
}

function parseOnlyRequest({ text, blocks }: PemField): CertificateRequest {
  const beginnings = text.match(REQUEST_BEGINNINGS)?.length ?? 0;
  if (beginnings !== 1) {
    throw new Fault("malformed", `it holds ${beginnings} certificate requests, expected exactly one`);
  }
  const [first] = blocks;
  if (first === undefined || first.label !== REQUEST_LABEL) {
    throw new Fault("malformed", `its first PEM block is not a ${REQUEST_LABEL}`);
  }
  if (first.headers.length > 0) throw new Fault("malformed", "its certificate request has PEM headers, expected none");
  return parseCertificateRequest(first.bytes);
}

function unreadable(reason: string, message: string): RequestReading {
  return { kind: "Unreadable", reason, message };
}
