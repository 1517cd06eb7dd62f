// A request → facts: all reads of approval. The request, Nodes and Machines come from informers: the approval is
// guarded by the request's resourceVersion, and the claims (claims.ts) are never behind our own approvals, so a Node
// that the cache has not seen yet is covered by the claim that let it join. Under a policy in Enforce the Node is
// looked for a second time, live. Nothing is read that no rule of the chain asks for: a request that waits for approval
// waits for all of this.

import { type CertificateSigningRequest, findCondition, isIssued, purposeOf } from "../../api/certificates/index.ts";
import { CONTROL_PLANE_LABEL, type Node } from "../../api/core/index.ts";
import { NODES } from "../../api/meta/index.ts";
import { unprovenOf } from "../../attestation/rules/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import type { ApprovalFacts, NodeFacts, Standing } from "./facts.ts";
import { isRenewal } from "./facts.ts";
import { seeHolders, seeProviderId } from "./gather/machine.ts";
import { gatherServing, NO_SERVING } from "./gather/serving.ts";
import { type GatherOptions, type Judged, machineQuery, type PlainLook } from "./look.ts";
import { wantedNode } from "./reading.ts";
import { verdictOn } from "./record.ts";
import { NAME_IS_TAKEN } from "./rules/machine.ts";

export async function gather(options: GatherOptions, judged: Judged, signal: AbortSignal): Promise<ApprovalFacts> {
  const { csr, reading, policy } = judged;
  const requester = requesterOf(csr);
  const look: PlainLook = {
    ...judged,
    nodeName: wantedNode(reading),
    requester,
    isRenewal: reading.kind === "Readable" && isRenewal(reading.request, requester),
    signal,
  };
  const isServing = purposeOf(csr.spec.signerName) === "NodeServing";
  const machine = seeMachine(options, look);
  const [identity, access, node, evidence, serving] = await Promise.all([
    seeIdentity(options, look),
    seeAccess(options, look),
    seeNode(options, look),
    seeEvidence(options, look),
    isServing ? gatherServing(options, look) : NO_SERVING,
  ]);
  return {
    nowMs: options.clock.now(),
    csrUid: csr.metadata.uid ?? "",
    createdMs: Date.parse(csr.metadata.creationTimestamp ?? ""),
    expirationSeconds: csr.spec.expirationSeconds,
    signerName: csr.spec.signerName,
    usages: csr.spec.usages,
    request: reading,
    switchedOff: [...(options.switchedOff ?? []), ...(policy?.disabledRules ?? [])],
    servedSigners: options.servedSigners,
    policy,
    brokenPolicies: options.surroundings.policies.broken(),
    requester,
    access,
    node,
    // After the Node, without a pause in between: an approval in the meantime is in here.
    claims: options.hasSynced() ? { kind: "Present", value: options.claims.of(look.nodeName ?? "") } : UNSYNCED,
    machine,
    holders: seeHolders(options, look, machine),
    providerId: seeProviderId(options, look),
    evidence,
    identity,
    standing: seeStanding(options, look),
    serving,
    earlierRefusal: refusedForItsName(csr),
  };
}

function requesterOf({ spec: { username = "", groups = [], uid, extra } }: CertificateSigningRequest) {
  return { username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function refusedForItsName(csr: CertificateSigningRequest): ApprovalFacts["earlierRefusal"] {
  const recorded = verdictOn(csr);
  const isForName = recorded?.verdict === "Deny" && NAME_IS_TAKEN.includes(recorded.reason);
  return isForName ? { reason: recorded.reason, message: recorded.message } : undefined;
}

const UNSYNCED = { kind: "NotRead", why: "the lists of requests and nodes are not complete yet" } as const;

function needsAccess({ csr: { spec }, policy }: PlainLook): boolean {
  if (purposeOf(spec.signerName) !== "NodeClient") return false;
  return policy === undefined ? isBuiltInSigner(spec.signerName) : policy.client.admit === "Access";
}

/** Asked for every node's request: what a node proved binds under every signer. */
async function seeIdentity(options: GatherOptions, look: PlainLook): Promise<ApprovalFacts["identity"]> {
  const { csr, nodeName, requester, signal } = look;
  if (nodeName === undefined) return { kind: "Absent" };
  return await options.seeIdentity(nodeName, unprovenOf(csr.spec.signerName, requester), signal);
}

async function seeAccess(options: GatherOptions, look: PlainLook): Promise<ApprovalFacts["access"]> {
  if (!needsAccess(look) || look.reading.kind !== "Readable") return { kind: "NotRead", why: "nobody asked" };
  if (look.isRenewal) {
    const own = await options.access.ask("selfnodeclient", look.requester, look.signal);
    if (own.isAllowed) return { kind: "Present", value: own };
  }
  return { kind: "Present", value: await options.access.ask("nodeclient", look.requester, look.signal) };
}

async function seeNode(options: GatherOptions, look: PlainLook): Promise<Seen<NodeFacts>> {
  const { nodeName, policy } = look;
  // A name that no Node can have has none; where the rule about names is switched off, that is the answer.
  if (nodeName === undefined) return { kind: "Absent" };
  if (!options.hasSynced()) return UNSYNCED;
  const known = options.surroundings.getNode(nodeName);
  if (known !== undefined)
    return isItsOwn(known, look) ? { kind: "Absent" } : { kind: "Present", value: factsOfNode(known) };
  if (policy?.mode !== "Enforce" || look.isRenewal) return { kind: "Absent" };
  try {
    const node = await options.client.get<Node>(NODES, { name: nodeName }, { signal: look.signal });
    return { kind: "Present", value: factsOfNode(node) };
  } catch (error) {
    if (isFault(error, "not-found")) return { kind: "Absent" };
    throw error;
  }
}

/**
 * A policy in Shadow looks at requests that others have decided: the Node that came of such a request is no objection
 * to it.
 */
function isItsOwn(node: Node, { csr, policy }: PlainLook): boolean {
  if (policy?.mode !== "Shadow" || !isIssued(csr)) return false;
  return Date.parse(node.metadata.creationTimestamp ?? "") >= Date.parse(csr.metadata.creationTimestamp ?? "");
}

function factsOfNode({ metadata, status }: Node): NodeFacts {
  const isControlPlane = metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
  return { uid: metadata.uid ?? "", isControlPlane, addresses: status?.addresses ?? [] };
}

function seeMachine({ surroundings }: GatherOptions, look: PlainLook): ApprovalFacts["machine"] {
  const query = machineQuery(look);
  return query === undefined ? { kind: "NotRead", why: "nobody asked" } : surroundings.machines.find(query);
}

async function seeEvidence(options: GatherOptions, look: PlainLook): Promise<ApprovalFacts["evidence"]> {
  const { csr, nodeName, policy, reading, signal } = look;
  if (reading.kind !== "Readable" || nodeName === undefined) return { kind: "Absent" };
  if (options.seeEvidence !== undefined) return await options.seeEvidence(csr, { nodeName, policy }, signal);
  const isCarried = reading.surroundings.labels.some((label) => label.includes("ATTESTATION"));
  return isCarried ? { kind: "NotRead", why: "no verifier of attestation evidence runs here" } : { kind: "Absent" };
}

/** How far back a pending request counts: a kubelet gives up after fifteen minutes and asks anew. */
const COUNTED_MS = 3_600_000;
/** More than there are Machines or Nodes, by as many as may be between two steps. */
const PENDING_SLACK = 100;

/**
 * Counted no further than to the limit: who has made a hundred thousand must not be counted a hundred thousand times.
 */
function seeStanding(
  { surroundings, servedSigners, clock }: GatherOptions,
  { csr, policy }: PlainLook,
): Seen<Standing> {
  if (policy === undefined) return { kind: "Absent" };
  const since = new Date(clock.now() - COUNTED_MS).toISOString();
  const isCounted = (other: CertificateSigningRequest) =>
    isOlder(other, csr) &&
    (other.metadata.creationTimestamp ?? "") > since &&
    servedSigners.includes(other.spec.signerName) &&
    findCondition(other, "Failed") === undefined;
  const most = Math.max(surroundings.machines.count(), surroundings.countNodes());
  const limit = policy.limits.pendingPerRequester ?? most + PENDING_SLACK;
  let older = 0;
  for (const other of surroundings.pendingOf(csr.spec.username ?? "")) {
    if (isCounted(other)) older++;
    if (older >= limit) break;
  }
  return { kind: "Present", value: { older, limit } };
}

/**
 * By time of creation, which has seconds only; then by uid, so that two of one second have an order too. Texts of one
 * form.
 */
function isOlder(
  { metadata: one }: CertificateSigningRequest,
  { metadata: other }: CertificateSigningRequest,
): boolean {
  const [a = "", b = ""] = [one.creationTimestamp, other.creationTimestamp];
  return a === b ? (one.uid ?? "") < (other.uid ?? "") : a < b;
}
