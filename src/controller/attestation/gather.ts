// A request with evidence → the facts that every provider's rules ask for. From copies where a stale answer only costs another
// look, live where an approval rests on it (`isLive`).

import type { Node } from "../../api/core/index.ts";
import {
  compileName,
  fillTemplate,
  JOIN_WINDOW_SECONDS,
  matchesName,
  type NodeIdentity,
} from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import { NODES } from "../../api/meta/index.ts";
import type { Protocol } from "../../attestation/evidence/index.ts";
import { type EvidenceFacts, type LimitFacts, pinsOf, signerParts } from "../../attestation/rules/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { getIdentity } from "../identities/known.ts";
import type { MachineQuery } from "../judging/index.ts";
import { seeForeignNames, seeOwnNames } from "../judging/own-names.ts";
import type { AttestationWorld, Look } from "./world.ts";

/** Protocols with a verifier here, and those of installed providers. */
export function supportedBy({ verifiers }: Pick<AttestationWorld, "verifiers">): readonly Protocol[] {
  const installed = verifiers.flatMap(({ name, versions }) => versions.map((version) => ({ provider: name, version })));
  return [{ provider: "tpm", version: 1 }, { provider: "insecure", version: 1 }, ...installed];
}

const NO_NODE = { kind: "Absent" } as const;

export interface Wanted {
  readonly isLive: boolean;
  /** As it was seen before, where the next step writes it in exactly that state, or fails: that it can proves what a read would. */
  readonly identity?: Seen<NodeIdentity> | undefined;
}

export async function gatherEvidence(
  world: AttestationWorld,
  look: Look,
  { isLive, identity: known }: Wanted,
): Promise<EvidenceFacts> {
  const { csr, object, reading, policy } = look;
  const scope = {
    clusterName: policy?.machines.clusterName ?? world.clusterName,
    namespace: policy?.machines.namespace,
  };
  const [identity, node, tokenMachine, machines] = await Promise.all([
    known ?? seeIdentity(world, look, isLive),
    seeNode(world, look, isLive),
    world.machineOfToken(object.requester.username, look.signal),
    seeMachines(world, look, { scope, isLive }),
  ]);
  return {
    nowMs: world.clock.now(),
    object,
    reading,
    cluster: {
      ids: world.clusterIds(csr),
      servedSigners: world.servedSigners,
      supported: supportedBy(world),
      authorizedProviders: policy === undefined ? servedProviders(world) : policy.attestation.providers,
    },
    policy: policy?.attestation ?? {},
    listedRequesters: policy?.client.requesters ?? [],
    refusesBootstrapTokens: policy?.client.bootstrapTokens === "Refuse",
    identity,
    machines,
    machineHolders: seeMachineHolders(world, look),
    joinWindowMs: (policy?.client.joinWindowSeconds ?? JOIN_WINDOW_SECONDS) * 1_000,
    // Whoever serves the insecure signer without a policy has said that machines may come unannounced.
    mayJoinUnenrolled: policy === undefined && signerParts(object.signerName)?.provider === "insecure",
    tokenMachine,
    templateNames: seeTemplateNames(look, machines),
    node: node.kind === "Present" ? { kind: "Present", value: { uid: node.value.metadata.uid ?? "" } } : node,
    servingLeftBy: policy?.serving.approve === false ? policy.name : undefined,
    ownNames: seeOwnNames(look, machines, node),
    ...seeForeignNames(world, look, { machines, scope }),
    limits: countLimits(world, look, { identity, tokenMachine }),
  };
}

function servedProviders({ servedSigners }: AttestationWorld): readonly string[] {
  return servedSigners.flatMap((signer) => signerParts(signer)?.provider ?? []);
}

async function seeIdentity(
  { home, identities, clusterName }: AttestationWorld,
  { envelope, signal }: Look,
  isLive: boolean,
): Promise<Seen<NodeIdentity>> {
  if (envelope === undefined) return { kind: "Absent" };
  const copy = identities.find(envelope.node);
  if (!isLive || copy.kind === "NotRead") return copy;
  return await getIdentity(home, { nodeName: envelope.node, clusterName }, signal);
}

interface WantedMachines {
  readonly scope: Pick<MachineQuery, "clusterName" | "namespace">;
  readonly isLive: boolean;
}

/**
 * Which Machines there are, only the copy can say: nobody else can find them by provider ID among a hundred thousand. What the one that
 * was found is now, deleted or another's, is asked of the server where an approval rests on it (P16). None, or two, is a wait or a
 * refusal, and needs no better word.
 */
async function seeMachines(
  { machines }: AttestationWorld,
  { envelope, signal }: Look,
  { scope, isLive }: WantedMachines,
): Promise<Seen<readonly Machine[]>> {
  if (envelope === undefined) return { kind: "Absent" };
  const copied = machines.byProviderId(envelope.providerId, scope);
  const [machine, second] = copied.kind === "Present" ? copied.value : [];
  if (!isLive || machine === undefined || second !== undefined) return copied;
  const live = await machines.getLive(machine, signal);
  return { kind: "Present", value: live === undefined ? [] : [live] };
}

function seeMachineHolders({ identities }: AttestationWorld, { envelope }: Look): EvidenceFacts["machineHolders"] {
  if (envelope === undefined) return { kind: "Absent" };
  return identities.holdersOfProvider(envelope.providerId, envelope.node);
}

async function seeNode({ client, getNode }: AttestationWorld, look: Look, isLive: boolean): Promise<Seen<Node>> {
  const { envelope, signal } = look;
  if (envelope === undefined) return NO_NODE;
  const copy = getNode(envelope.node);
  if (!isLive) return copy === undefined ? NO_NODE : { kind: "Present", value: copy };
  try {
    return { kind: "Present", value: await client.get<Node>(NODES, { name: envelope.node }, { signal }) };
  } catch (error) {
    if (isFault(error, "not-found")) return NO_NODE;
    throw error;
  }
}

/** The node's name, where the policy's template allows it for the Machine. */
function seeTemplateNames({ policy, envelope }: Look, machines: Seen<readonly Machine[]>): readonly string[] {
  const template = policy?.machines.nodeNameTemplate;
  const machine = machines.kind === "Present" ? machines.value[0] : undefined;
  if (template === undefined || machine === undefined || envelope === undefined) return [];
  const { name, namespace, clusterName = "" } = machine;
  const text = fillTemplate(template, { machine: name, namespace, cluster: clusterName });
  const pattern = compileName(text, "spec.machines.nodeNameTemplate");
  return matchesName(pattern, envelope.node) ? [envelope.node] : [];
}

function countLimits(
  world: AttestationWorld,
  { object, policy }: Look,
  { identity, tokenMachine }: Pick<EvidenceFacts, "identity" | "tokenMachine">,
): LimitFacts {
  const { username } = object.requester;
  const open = world.openHellos(username).filter(({ metadata }) => metadata.uid !== object.uid);
  const isKnown = pinsOf(identity)?.provider !== undefined;
  // A token that belongs to one Machine can serve no other.
  const awaiting = tokenMachine.kind === "Present" ? 1 : world.machines.countAwaiting();
  return {
    openOfRequester: open.length,
    openOfRequesterLimit: Math.max(LEAST_OPEN, 2 * awaiting),
    openOfRequesterAndKey: 0,
    openInCluster: world.countOpenHellos(),
    newIdentitiesInHour: isKnown ? 0 : world.identities.countYoung(world.clock.now()),
    ...newIdentitiesLimit(world, policy),
  };
}

/**
 * What keeps strangers out is that machines are expected; this bounds what a leaked token does where any may come. So
 * the default must let a whole fleet be made anew within an hour, each node twice.
 */
const NEW_IDENTITIES_PER_HOUR = 5_000;

function newIdentitiesLimit(
  { machines }: AttestationWorld,
  policy: Look["policy"],
): Pick<LimitFacts, "newIdentitiesPerHour" | "newIdentitiesPerHourBy"> {
  const said = policy?.limits.newIdentitiesPerHour;
  if (said !== undefined)
    return { newIdentitiesPerHour: said, newIdentitiesPerHourBy: `JoinPolicy ${policy?.name ?? ""}` };
  return {
    newIdentitiesPerHour: Math.max(NEW_IDENTITIES_PER_HOUR, 2 * machines.countAll()),
    newIdentitiesPerHourBy: `default (${NEW_IDENTITIES_PER_HOUR}, or twice the Machines where that is more)`,
  };
}

/** Open hellos of one requester that are always allowed. */
const LEAST_OPEN = 32;
