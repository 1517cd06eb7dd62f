// One look at one request: what gather is given, and what all its steps know from the start.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Policy } from "../../api/countersign/index.ts";
import { providerIdOf } from "../../attestation/evidence/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { AccessReviews } from "./access.ts";
import type { Claims } from "./claims.ts";
import type { ApprovalFacts, RequestReading } from "./facts.ts";
import type { EvidenceReader, IdentityReader, MachineQuery, Network, Surroundings } from "./inventory.ts";

export interface GatherOptions {
  readonly client: Pick<KubeClient, "get">;
  readonly clock: Clock;
  readonly claims: Claims;
  readonly access: AccessReviews;
  readonly surroundings: Surroundings;
  readonly network: Network;
  readonly seeEvidence?: EvidenceReader | undefined;
  readonly seeIdentity: IdentityReader;
  readonly servedSigners: readonly string[];
  /** Stricter rules that the operator has switched off for all requests. */
  readonly switchedOff?: readonly string[] | undefined;
  /** False while the first list of requests or Nodes is not complete: then an absent thing may only be unseen. */
  readonly hasSynced: () => boolean;
}

export interface Judged {
  readonly csr: CertificateSigningRequest;
  readonly reading: RequestReading;
  readonly policy: Policy | undefined;
}

/** Everything about one look at one request. */
export interface Look extends Judged {
  readonly nodeName: string | undefined;
  readonly requester: ApprovalFacts["requester"];
  readonly isRenewal: boolean;
  readonly signal: AbortSignal;
}

/** Which Machine to look for; none is looked for without a policy. */
export function machineQuery({
  nodeName,
  reading,
  policy,
}: Pick<Look, "nodeName" | "reading" | "policy">): MachineQuery | undefined {
  if (nodeName === undefined || reading.kind !== "Readable" || policy === undefined) return undefined;
  return { nodeName, providerId: providerIdOf(reading.request), ...policy.machines };
}
