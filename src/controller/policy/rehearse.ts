// What would a policy change? Every request of a snapshot is judged again, each as it was when it was made: by the
// Nodes and the approved requests that there were then. Nothing is written.

import { type CertificateSigningRequest, findCondition } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import type { JoinPolicy, NodeIdentity } from "../../api/countersign/index.ts";
import { readMachine } from "../../api/foreign/index.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import { createApiServerNames } from "../dialling/index.ts";
import { type AccessReviews, createAccessReviews } from "../judging/access.ts";
import { createClaims } from "../judging/claims.ts";
import { namesOf } from "../judging/facts.ts";
import type { IdentityReader, Network, Surroundings } from "../judging/look.ts";
import { type Replayed, replay } from "../judging/replay.ts";
import { type ClusterName, isOfCluster, machinesOf } from "../machines/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import { createPolicyBook } from "./book.ts";

export interface Snapshot {
  readonly csrs: readonly CertificateSigningRequest[];
  readonly nodes: readonly Node[];
  readonly machines: readonly KubeObject[];
  readonly identities: readonly NodeIdentity[];
  /** The policies of the cluster, with the one that is tried in the place of its namesake. */
  readonly policies: readonly JoinPolicy[];
}

export interface Rehearsal {
  /** Asked whether a requester has Kubernetes' virtual rights; left out, the snapshot itself says who was approved. */
  readonly client?: KubeClient | undefined;
  /** Whose Machines count; left out: all. */
  readonly cluster?: ClusterName | undefined;
  readonly servedSigners: readonly string[];
  readonly signal: AbortSignal;
}

export async function rehearse(snapshot: Snapshot, rehearsal: Rehearsal): Promise<readonly Replayed[]> {
  const book = createPolicyBook();
  for (const policy of snapshot.policies) book.put(policy);
  const own = snapshot.machines.map(readMachine).filter((machine) => isOfCluster(machine, rehearsal.cluster));
  const machines = machinesOf(own);
  const network: Network = {
    ...NO_NETWORK,
    ...(rehearsal.client === undefined
      ? {}
      : { apiServer: createApiServerNames({ client: rehearsal.client, clock: systemClock }) }),
  };
  const seeIdentity = identitiesFrom(snapshot, rehearsal);
  const replayed: Replayed[] = [];
  for (const csr of snapshot.csrs.filter(({ spec }) => rehearsal.servedSigners.includes(spec.signerName))) {
    const atMs = Date.parse(csr.metadata.creationTimestamp ?? "");
    const before = (object: KubeObject) => Date.parse(object.metadata.creationTimestamp ?? "") < atMs;
    const nodes = snapshot.nodes.filter(before);
    const claims = createClaims();
    for (const other of snapshot.csrs.filter(before)) claims.observe(other);
    const clock = { now: () => atMs + JUDGED_AFTER_MS, sleep: async () => undefined };
    const surroundings: Surroundings = {
      getNode: (name) => nodes.find(({ metadata }) => metadata.name === name),
      nodesNamed: (name) => nodes.filter((node) => hasName(node, name)),
      nodesOfProvider: (providerId) => nodes.filter(({ spec }) => spec?.providerID === providerId),
      countNodes: () => nodes.length,
      // Whatever was pending then has been decided since, or waits for no other request.
      pendingOf: () => [],
      machines,
      policies: { of: book.of, hasShadow: () => false, broken: book.broken },
    };
    const access = rehearsal.client === undefined ? accessFrom(snapshot) : createAccessReviews(rehearsal.client, clock);
    const world = { client: NOBODY, clock, claims, access, surroundings, network, hasSynced: () => true };
    // Under our signers a request carries evidence, which a rehearsal does not look at: what it lacks is not known.
    const identified = { ...world, seeIdentity: isBuiltInSigner(csr.spec.signerName) ? seeIdentity : NO_IDENTITY };
    const { servedSigners, signal } = rehearsal;
    replayed.push(await replay({ ...identified, servedSigners }, csr, book.of, signal));
  }
  return replayed;
}

const NO_IDENTITY: IdentityReader = async () => ({ kind: "Absent" });

/** A request is judged a moment after it was made. */
const JUDGED_AFTER_MS = 1_000;

function hasName({ metadata, status }: Node, name: string): boolean {
  return metadata.name === name || namesOf(status?.addresses ?? []).has(name);
}

function identitiesFrom({ identities }: Snapshot, { cluster }: Rehearsal): IdentityReader {
  const own = identities.filter(({ spec }) => spec.clusterName === cluster?.name);
  const byNode = new Map(own.map((identity) => [identity.spec.nodeName, identity]));
  return async (nodeName) => {
    const identity = byNode.get(nodeName);
    return identity === undefined ? { kind: "Absent" } : { kind: "Present", value: identity };
  };
}

/** A requester that was approved by rule had the right; for others it is unknown, and counts as missing. */
function accessFrom({ csrs }: Snapshot): AccessReviews {
  const approved = new Set(
    csrs.flatMap((csr) => (findCondition(csr, "Approved")?.reason === "AutoApproved" ? (csr.spec.username ?? []) : [])),
  );
  return { ask: async (right, { username }) => ({ right, isAllowed: approved.has(username) }) };
}

/** For the second look at a Node: what the snapshot does not have, there is not. */
const NOBODY: Pick<KubeClient, "get"> = {
  get: async () => {
    throw new Fault("not-found", "a rehearsal asks nobody");
  },
};

const UNREACHED = { kind: "NotRead", why: "a rehearsal asks nobody" } as const;
const NO_NETWORK: Network = {
  presentNames: async () => UNREACHED,
  resolve: async () => UNREACHED,
  // Requests of a file: the address of their API server is unknown.
  apiServer: async () => ({ kind: "Absent" }),
};
