// Requests that cannot carry evidence (protocol 3.10). The kubelet's own serving request is judged by custody: it comes with a client
// certificate that was given for an attestation. A client request of Kubernetes' own signer is refused where a policy asks for
// evidence.

import {
  type CertificateSigningRequest,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
} from "../../api/certificates/index.ts";
import type { IssuedCertificate, NodeIdentity, NodeIdentityStatus, Policy } from "../../api/countersign/index.ts";
import { credentialOf, isRetired, isRevoked, pinsOf } from "../../attestation/verifiers/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { EvidenceFinding, EvidenceReader } from "../approval/index.ts";
import type { Identities } from "./known/index.ts";
import { describeRequest } from "./requests.ts";

/** The current certificate and the one before it, which a kubelet may still use while it changes over. */
const CERTIFICATES_IN_USE = 2;
const RETRY_STALE_MS = 60_000;

export interface CustodyOptions {
  readonly identities: Pick<Identities, "find" | "hasSynced">;
  readonly nowMs: () => number;
}

export function createCustody({ identities, nowMs }: CustodyOptions): EvidenceReader {
  return async (csr, { nodeName, policy }) => {
    if (policy !== undefined && asksForEvidence(csr.spec.signerName, policy))
      return refused("EvidenceRequired", `the request carries no evidence, and policy ${policy.name} asks for it`);
    if (csr.spec.signerName !== KUBELET_SERVING_SIGNER) return ABSENT;
    const identity = identities.find(nodeName);
    // Where the kind is not served, no node was ever attested.
    if (identity.kind === "NotRead") return identities.hasSynced() ? ABSENT : identity;
    if (identity.kind === "Absent") return ABSENT;
    return judgeCustody(identity.value, csr, { policy, nowMs: nowMs() });
  };
}

const ABSENT = { kind: "Absent" } as const;

function refused(reason: string, message: string): Seen<EvidenceFinding> {
  return { kind: "Present", value: { kind: "Deny", reason, message } };
}

function asksForEvidence(signerName: string, { client, serving }: Policy): boolean {
  if (signerName === KUBELET_CLIENT_SIGNER) return client.admit === "Evidence";
  return signerName === KUBELET_SERVING_SIGNER && serving.evidence === "Required";
}

interface Circumstances {
  readonly policy: Policy | undefined;
  readonly nowMs: number;
}

function judgeCustody(
  identity: NodeIdentity,
  csr: CertificateSigningRequest,
  circumstances: Circumstances,
): Seen<EvidenceFinding> {
  if (isRevoked(identity)) return refused("IdentityRevoked", `the identity of ${identity.spec.nodeName} was revoked`);
  const credential = credentialOf(describeRequest(csr).requester);
  // Its certificates outlive it; whoever joined under the name by another way has none of them.
  if (isRetired(identity) && isCertificateOf(identity, credential))
    return refused(
      "CredentialRevoked",
      `the node ${identity.spec.nodeName} of the requester's certificate was retired`,
    );
  const pins = pinsOf({ kind: "Present", value: identity });
  // Who was let in without proof has nothing to show here; what it may have is the policy's matter.
  if (pins?.provider === undefined || pins.provider === "insecure") return ABSENT;
  return judgeCredential(pins, credential) ?? judgeAge(pins, circumstances);
}

function isCertificateOf({ status }: NodeIdentity, credential: string | undefined): boolean {
  return status?.certificates?.some(({ sha256 }) => sha256 === credential) === true;
}

function judgeCredential(pins: NodeIdentityStatus, credential: string | undefined): Seen<EvidenceFinding> | undefined {
  const issued = (pins.certificates ?? []).filter(({ purpose }) => purpose === "Client").toReversed();
  const age = issued.findIndex(({ sha256 }) => sha256 === credential);
  if (age < 0) return refused("CredentialUnknown", "the requester's certificate was not given for an attestation");
  if (issued[age]?.revoked === true) return refused("CredentialRevoked", "the requester's certificate was revoked");
  return age < CERTIFICATES_IN_USE
    ? undefined
    : refused("CredentialSuperseded", "the requester's certificate was followed by two newer ones");
}

function judgeAge(
  { attestedAt = "", provider, certificates = [] }: NodeIdentityStatus,
  { policy, nowMs }: Circumstances,
): Seen<EvidenceFinding> {
  const askedSeconds = policy?.serving.maxAttestationAgeSeconds;
  const maxAgeMs = askedSeconds === undefined ? lifetimeMs(certificates) : askedSeconds * 1000;
  const ageMs = nowMs - Date.parse(attestedAt);
  if (ageMs <= maxAgeMs) {
    const note = `custody of a certificate given for an attestation by ${provider ?? ""}`;
    return { kind: "Present", value: { kind: "Pass", note } };
  }
  const message = `the node was attested ${Math.round(ageMs / 1000)} s ago; it must renew first`;
  return {
    kind: "Present",
    value: { kind: "Wait", reason: "AttestationStale", message, retryAfterMs: RETRY_STALE_MS },
  };
}

/** Of the current client certificate: an attestation is worth no longer than what was given for it. */
function lifetimeMs(certificates: readonly IssuedCertificate[]): number {
  const { notAfter = "", issuedAt = "" } = certificates.findLast(({ purpose }) => purpose === "Client") ?? {};
  const lifeMs = Date.parse(notAfter) - Date.parse(issuedAt);
  // Certificates of before this was recorded: they end by themselves.
  return Number.isFinite(lifeMs) ? lifeMs : Number.POSITIVE_INFINITY;
}
