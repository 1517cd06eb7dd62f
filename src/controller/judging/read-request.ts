// `spec.request` → what it says. Synchronous and without I/O; gather calls it, signing calls it again for itself.
// What cannot be read is a reading too, with a reason: it is the requester's mistake, not an accident of ours.

import { nodeNameOf } from "../../api/certificates/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../api/pem/index.ts";
import { Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import { parseCertificateRequest, verifyRequestSignature } from "../../kernel/x509/index.ts";
import type { RequestReading } from "./facts.ts";

/** What is read at all: twenty times an honest request. etcd would take 1.5 MB. */
const READ_MAX_BASE64 = 2 ** 21;

/** Counted in the text, not among the parsed blocks: a block that one reader skips as malformed, another may read. */
const REQUEST_BEGINNINGS = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/g;

/** What the parsers of the kernel say about bytes that are not what they should be. */
const UNREADABLE: ReadonlySet<FaultCode> = new Set(["malformed", "limit-exceeded", "unsupported"]);

export function readRequest(specRequest: string): RequestReading {
  if (specRequest.length > READ_MAX_BASE64) {
    return unreadable("RequestIsTooLarge", `spec.request is larger than ${READ_MAX_BASE64} characters of base64`);
  }
  try {
    return readFirstBlock(specRequest);
  } catch (error) {
    if (!isFault(error) || !UNREADABLE.has(error.code)) throw error;
    return unreadable("RequestIsUnreadable", `spec.request cannot be read: ${error.message}`);
  }
}

/** A request is read by the approver and, a moment later, by the signer; so many may lie between the two. */
const READINGS_KEPT = 1_024;
/** Four times an honest request with its evidence: what is longer is refused, and a thousand of those would fill the memory. */
const KEPT_MAX_BASE64 = 2 ** 15;

/** `readRequest` that remembers: the text of a request never changes, and verifying its signature is the dearest step of all. */
export function createRequestReader(): typeof readRequest {
  const kept = new Map<string, RequestReading>();
  return (specRequest) => {
    const known = kept.get(specRequest);
    if (known !== undefined) return known;
    const reading = readRequest(specRequest);
    if (specRequest.length > KEPT_MAX_BASE64) return reading;
    const [oldest] = kept.keys();
    if (kept.size >= READINGS_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(specRequest, reading);
    return reading;
  };
}

/** The first well-formed block, as the API server and every signer take it. */
function readFirstBlock(specRequest: string): RequestReading {
  const { text, blocks } = parsePemField(specRequest);
  const [first, ...others] = blocks;
  if (first === undefined || first.label !== REQUEST_LABEL) {
    throw new Fault("malformed", `its first PEM block is not a ${REQUEST_LABEL}`);
  }
  const request = parseCertificateRequest(first.bytes);
  return {
    kind: "Readable",
    request,
    signatureHolds: verifyRequestSignature(request),
    surroundings: {
      beginnings: text.match(REQUEST_BEGINNINGS)?.length ?? 0,
      hasHeaders: first.headers.length > 0,
      bytes: text.length,
      labels: others.map(({ label }) => label),
    },
  };
}

function unreadable(reason: string, message: string): RequestReading {
  return { kind: "Unreadable", reason, message };
}

/** The node name that a readable request asks for. */
export function wantedNode(reading: RequestReading): string | undefined {
  return reading.kind === "Readable" ? nodeNameOf(reading.request.subject.commonName) : undefined;
}
