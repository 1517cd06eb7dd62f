// What approval asks of the cluster beside the request itself. Informers answer at once, so a judgement costs no call; the two
// questions that go out to the network (a kubelet's present certificate, DNS) are asked only where a policy wants them.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import type { MachineNameSource, NodeIdentity, Policy } from "../../api/countersign/index.ts";
import type { Unproven } from "../../attestation/rules/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { ApiServerNames, EvidenceFinding, MachineMatch, PresentNames } from "./facts.ts";

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
  /** Sentences about the policies that nobody can read. */
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
  /** Where the API server is, by its own word and by ours; absent where nobody can say. */
  apiServer(signal: AbortSignal): Promise<Seen<ApiServerNames>>;
}

/** The identity of a node, live where the copy of it would refuse the request: nobody is denied by an old copy. */
export type IdentityReader = (nodeName: string, asked: Unproven, signal?: AbortSignal) => Promise<Seen<NodeIdentity>>;

/** What the attestation part says of the evidence in a request. */
export type EvidenceReader = (
  csr: CertificateSigningRequest,
  about: { readonly nodeName: string; readonly policy: Policy | undefined },
  signal: AbortSignal,
) => Promise<Seen<EvidenceFinding>>;
