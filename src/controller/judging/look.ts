// One look at one request: what gather is given, and what all its steps know from the start.

import { type CertificateSigningRequest, findCondition, isDecided } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import type { MachineNameSource, NodeIdentity, Policy } from "../../api/countersign/index.ts";
import { providerIdOf } from "../../attestation/evidence/index.ts";
import type { Unproven } from "../../attestation/rules/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { AccessReviews } from "./access.ts";
import type { Claims } from "./claims.ts";
import type {
  ApiServerNames,
  ApprovalFacts,
  EvidenceFinding,
  MachineMatch,
  PresentNames,
  RequestReading,
} from "./facts.ts";

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

/** One look at one request. */
export interface Look {
  readonly csr: CertificateSigningRequest;
  /** The one that covers the request. */
  readonly policy: Policy | undefined;
  readonly signal: AbortSignal;
}

/** A request and how it is to be judged. */
export interface Judged extends Pick<Look, "csr" | "policy"> {
  readonly reading: RequestReading;
}

/** One look at one request without evidence, or at the names of one with it. */
export interface PlainLook extends Look, Judged {
  readonly nodeName: string | undefined;
  readonly requester: ApprovalFacts["requester"];
  readonly isRenewal: boolean;
}

/** Decided, failed, issued or being deleted: nothing is left to judge. */
export function isSettled(csr: CertificateSigningRequest): boolean {
  const isEnded = isDecided(csr) || findCondition(csr, "Failed") !== undefined;
  return isEnded || (csr.status?.certificate ?? "") !== "" || csr.metadata.deletionTimestamp !== undefined;
}

/** Which Machine to look for; none is looked for without a policy. */
export function machineQuery({
  nodeName,
  reading,
  policy,
}: Pick<PlainLook, "nodeName" | "reading" | "policy">): MachineQuery | undefined {
  if (nodeName === undefined || reading.kind !== "Readable" || policy === undefined) return undefined;
  return { nodeName, providerId: providerIdOf(reading.request), ...policy.machines };
}

// What approval asks of the cluster beside the request itself. Informers answer at once, so a judgement costs no call;
// the two questions that go out to the network (a kubelet's present certificate, DNS) are asked only where a policy
// wants them.
export interface MachineQuery {
  readonly nodeName: string;
  /** As the request says it. */
  readonly providerId: string | undefined;
  readonly clusterName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly nameFrom: readonly MachineNameSource[];
}

export interface MachineInventory {
  find(query: MachineQuery): Seen<MachineMatch>;
  /** Names and addresses, in canonical form, of Machines other than the node's own, among those asked for. */
  ownersOf(names: readonly string[], query: MachineQuery): ReadonlyMap<string, string>;
  count(): number;
}

export interface PolicyCover {
  /** The policy in charge of a request, if any. */
  of(signerName: string, nodeName: string | undefined): Policy | undefined;
  /** Whether any policy only records. */
  hasShadow(): boolean;
  /** Sentences about the policies that cannot be read. */
  broken(): readonly string[];
}

export interface Surroundings {
  getNode(name: string): Node | undefined;
  /** Nodes that have this name or address, in canonical form. */
  nodesNamed(name: string): readonly Node[];
  /** Nodes that say this provider ID of themselves. */
  nodesOfProvider(providerId: string): readonly Node[];
  countNodes(): number;
  /** Undecided requests of a user. */
  pendingOf(username: string): readonly CertificateSigningRequest[];
  readonly machines: MachineInventory;
  readonly policies: PolicyCover;
}

/** Questions to the network, asked in gather. */
export interface Network {
  /** The names in the certificate that the node's kubelet serves with, verified against the cluster's CA. */
  presentNames(csr: CertificateSigningRequest, nodeName: string, signal: AbortSignal): Promise<Seen<PresentNames>>;
  /** The addresses of a DNS name; absent when there is no such name. */
  resolve(name: string, signal: AbortSignal): Promise<Seen<readonly string[]>>;
  /** Where the API server is, by its own discovery and by our settings; absent where neither says. */
  apiServer(signal: AbortSignal): Promise<Seen<ApiServerNames>>;
}

/** The identity of a node, live where the copy of it would refuse the request: no request is denied by an old copy. */
export type IdentityReader = (nodeName: string, asked: Unproven, signal?: AbortSignal) => Promise<Seen<NodeIdentity>>;

/** What the attestation part says of the evidence in a request. */
export type EvidenceReader = (
  csr: CertificateSigningRequest,
  about: { readonly nodeName: string; readonly policy: Policy | undefined },
  signal: AbortSignal,
) => Promise<Seen<EvidenceFinding>>;
