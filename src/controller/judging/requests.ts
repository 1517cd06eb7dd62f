// A CertificateSigningRequest as the rules of attestation see it, and whether it is one of theirs. The text of a request never
// changes, and reading it means verifying a signature: so what was read is kept for a while.

import { type CertificateSigningRequest, findCondition, isDecided } from "../../api/certificates/index.ts";
import { MAX_REQUEST_OCTETS, PROVIDER_LABEL, type RecipientKey } from "../../attestation/evidence/index.ts";
import { type EvidenceReading, type RequestObject, readEvidence, signerParts } from "../../attestation/rules/index.ts";
import { encodeUtf8, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { ChallengeKeyStore } from "../identities/challenge-keys.ts";

const INSECURE_PROVIDER = "insecure";
/** Base64 of the largest request, and what does not fit any more. */
const MAX_BASE64_CHARACTERS = Math.ceil(MAX_REQUEST_OCTETS / 3) * 4;

/**
 * Whether a request is judged here. Under the insecure signer a request without an envelope is the seed's older form, which the
 * chain of approval judges; under every other signer of ours, evidence is the only way.
 */
export function carriesEvidence({ spec }: CertificateSigningRequest): boolean {
  const parts = signerParts(spec.signerName);
  if (parts === undefined) return false;
  return parts.provider !== INSECURE_PROVIDER || parts.purpose === "serving" || hasProviderBlock(spec.request);
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

export type RequestReader = (csr: CertificateSigningRequest, recipients: readonly RecipientKey[]) => ReadRequest;

/** A request is read when it comes, when it is challenged and when it is answered: so many may lie in between. */
const READINGS_KEPT = 2_048;

export function createRequestReader(): RequestReader {
  const kept = new Map<string, EvidenceReading>();
  return (csr, recipients) => {
    const object = describeRequest(csr);
    const known = kept.get(object.uid);
    if (known !== undefined) return { csr, object, reading: known };
    const signerProvider = signerParts(object.signerName)?.provider ?? "";
    const reading = readEvidence(object.request, { signerProvider, recipients });
    const [oldest] = kept.keys();
    if (kept.size >= READINGS_KEPT && oldest !== undefined) kept.delete(oldest);
    // A sealed envelope may become readable when its key arrives.
    if (reading.envelope.ok || reading.envelope.reason !== "EnvelopeUnreadable") kept.set(object.uid, reading);
    return { csr, object, reading };
  };
}

/**
 * The keys to which a request may be sealed. The insecure provider has nothing to hide: a cluster that attests nobody needs no
 * keys at all.
 */
export async function recipientsOf(
  keys: ChallengeKeyStore,
  { spec }: CertificateSigningRequest,
): Promise<readonly RecipientKey[]> {
  return signerParts(spec.signerName)?.provider === INSECURE_PROVIDER ? [] : (await keys.ring()).recipients;
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
