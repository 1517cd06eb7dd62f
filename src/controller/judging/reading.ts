// `spec.request` → what it says: the PKCS#10, and the evidence where there is some. Each request is read once and kept
// for a while. What cannot be read is a reading too, with a reason: it is the requester's mistake, not an accident of
// ours.

import { type CertificateSigningRequest, findCondition, isDecided, nodeNameOf } from "../../api/certificates/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../api/pem/index.ts";
import { MAX_REQUEST_OCTETS, PROVIDER_LABEL, type RecipientKey } from "../../attestation/evidence/index.ts";
import {
  type EvidenceReading,
  provesNothing,
  type RequestObject,
  readEvidence,
  signerParts,
} from "../../attestation/rules/index.ts";
import { encodeUtf8, equalBytes, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import { parseCertificateRequest, verifyRequestSignature } from "../../kernel/x509/index.ts";
import type { ChallengeKeyStore } from "../identities/challenge-keys.ts";
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

// A CertificateSigningRequest as the rules of attestation see it, and whether it is one of theirs. The text of a
// request never changes, and reading it means verifying a signature: so what was read is kept for a while.
/** Base64 of the largest request, and what does not fit any more. */
const MAX_BASE64_CHARACTERS = Math.ceil(MAX_REQUEST_OCTETS / 3) * 4;

/**
 * Whether a request is judged here. Under the signer of a provider that proves nothing, a request without an envelope
 * is judged by the chain of approval; under every other signer of ours, evidence is the only way.
 */
export function carriesEvidence({ spec }: CertificateSigningRequest): boolean {
  const parts = signerParts(spec.signerName);
  if (parts === undefined) return false;
  return !provesNothing(parts.provider) || parts.purpose === "serving" || hasProviderBlock(spec.request);
}

function hasProviderBlock(request: string): boolean {
  if (request.length > MAX_BASE64_CHARACTERS) return true;
  try {
    return parseUtf8(parseBase64(request)).includes(`-----BEGIN ${PROVIDER_LABEL}-----`);
  } catch (error) {
    if (isFault(error)) return false; // no text, hence no blocks: the chain of approval has the words for it
    throw error;
  }
}

export interface ReadRequest {
  readonly csr: CertificateSigningRequest;
  readonly object: RequestObject;
  readonly reading: EvidenceReading;
}

/** With what was read of its evidence. */
type EvidenceReader = (csr: CertificateSigningRequest, recipients: readonly RecipientKey[]) => ReadRequest;

export interface RequestReader {
  /** The PKCS#10 as every signer reads it. */
  plain(csr: CertificateSigningRequest): RequestReading;
  readonly evidence: EvidenceReader;
}

/** A request is read when it comes, is challenged, is answered and is signed: so many may lie in between. */
const READINGS_KEPT = 2_048;
/**
 * Four times an honest request with its evidence: what is longer is refused, and a thousand of those would fill the
 * memory.
 */
const KEPT_MAX_BASE64 = 2 ** 15;

interface Kept {
  readonly text: string;
  plain?: RequestReading;
  evidence?: EvidenceReading;
}

/** Remembers by uid: the text of a request never changes, and verifying its signature is the dearest step of all. */
export function createRequestReader(): RequestReader {
  const kept = new Map<string, Kept>();

  function keptOf({ metadata: { uid = "" }, spec: { request: text } }: CertificateSigningRequest): Kept {
    const known = kept.get(uid);
    if (known?.text === text) return known;
    const made: Kept = { text };
    // What is longer is refused by its length alone; two thousand texts of a megabyte would fill the memory.
    if (uid === "" || text.length > MAX_BASE64_CHARACTERS) return made;
    const [oldest] = kept.keys();
    if (kept.size >= READINGS_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(uid, made);
    return made;
  }

  function readPlain(entry: Kept): RequestReading {
    const reading = entry.plain ?? readRequest(entry.text);
    if (entry.text.length <= KEPT_MAX_BASE64) entry.plain = reading;
    return reading;
  }

  return {
    plain: (csr) => readPlain(keptOf(csr)),
    evidence: (csr, recipients) => {
      const entry = keptOf(csr);
      const object = describeRequest(csr);
      if (entry.evidence !== undefined) return { csr, object, reading: entry.evidence };
      const signerProvider = signerParts(object.signerName)?.provider ?? "";
      const readPkcs10 = (der: Uint8Array) => {
        const plain = readPlain(entry);
        return plain.kind === "Readable" && equalBytes(plain.request.raw, der)
          ? { parsed: plain.request, signatureHolds: plain.signatureHolds }
          : undefined;
      };
      const reading = readEvidence(object.request, { signerProvider, recipients, readPkcs10 });
      // A sealed envelope may become readable when its key arrives.
      if (reading.envelope.ok || reading.envelope.reason !== "EnvelopeUnreadable") entry.evidence = reading;
      return { csr, object, reading };
    },
  };
}

/**
 * The keys to which a request may be sealed. A provider that proves nothing has nothing to hide: a cluster that attests
 * no node needs no keys at all.
 */
export async function recipientsOf(
  keys: ChallengeKeyStore,
  { spec }: CertificateSigningRequest,
): Promise<readonly RecipientKey[]> {
  return provesNothing(signerParts(spec.signerName)?.provider) ? [] : (await keys.ring()).recipients;
}

export function describeRequest(csr: CertificateSigningRequest): RequestObject {
  const { metadata, spec } = csr;
  const { username = "", groups = [], uid, extra } = spec;
  return {
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    signerName: spec.signerName,
    usages: spec.usages,
    request: requestBytes(spec.request),
    requester: { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) },
    annotations: metadata.annotations ?? {},
    hasFinalizers: (metadata.finalizers ?? []).length > 0,
    hasOwnerReferences: (metadata.ownerReferences ?? []).length > 0,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isDecided: isDecided(csr) || findCondition(csr, "Failed") !== undefined,
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
  };
}

/** What the API server took is base64; what is too large is not decoded, and too large in either form. */
function requestBytes(request: string): Uint8Array {
  return request.length > MAX_BASE64_CHARACTERS ? encodeUtf8(request) : parseBase64(request);
}
