// Requests that cannot carry evidence (Requests without evidence). A kubelet's own serving request comes with a client
// certificate that was given for an attestation (the rule identity-permits-it); here is how long that counts. A client
// request of Kubernetes' own signer is refused where a policy asks for evidence.

import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../api/certificates/index.ts";
import type { IssuedCertificate, NodeIdentity, NodeIdentityStatus, Policy } from "../../api/countersign/index.ts";
import { isRetired, judgeStanding, pinsOf, provesNothing } from "../../attestation/rules/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { getIdentity, type Identities } from "../identities/known.ts";
import type { EvidenceFinding } from "./facts.ts";
import type { EvidenceReader, IdentityReader } from "./look.ts";

const RETRY_STALE_MS = 60_000;

interface CustodyOptions {
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
    const proven = provenPins(identity);
    return proven === undefined ? ABSENT : judgeAge(proven, { policy, nowMs: nowMs() });
  };
}

const ABSENT = { kind: "Absent" } as const;

/** Who was let in without proof has nothing to show here; what it may have is the policy's matter. */
function provenPins(identity: Seen<NodeIdentity>): NodeIdentityStatus | undefined {
  const pins = pinsOf(identity);
  const isHeld = identity.kind === "Present" && !isRetired(identity.value);
  return isHeld && pins?.provider !== undefined && !provesNothing(pins.provider) ? pins : undefined;
}

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

// The identity of a node, for requests that prove nothing: from the copy, and live before a request is refused by it.
// An enrolment or a reset of this moment may not be in the copy yet, and a refusal is for good. Where the identities
// are on another cluster than the requests, the signer also asks live before a request passes: that cluster may be out
// of reach while this one is not, and what an operator says there meanwhile would not be heard.
interface IdentitySource {
  readonly management: KubeClient;
  readonly identities: Pick<Identities, "find" | "hasSynced">;
  readonly clusterName: string | undefined;
  /** A pass of the copy is asked for once more, live. */
  readonly isAlwaysLive?: boolean;
}

export function createIdentityReader({
  management,
  identities,
  clusterName,
  isAlwaysLive = false,
}: IdentitySource): IdentityReader {
  return async (nodeName, asked, signal) => {
    const copy = identities.find(nodeName);
    // Where the kind is not served, no node has an identity.
    if (copy.kind === "NotRead") return identities.hasSynced() ? { kind: "Absent" } : copy;
    const isPassed = copy.kind === "Absent" || judgeStanding(copy.value, asked).kind === "Pass";
    if (isPassed && !isAlwaysLive) return copy;
    return await getIdentity(management, { nodeName, clusterName }, signal);
  };
}
