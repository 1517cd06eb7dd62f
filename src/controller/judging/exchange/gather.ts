// A request with evidence → the facts that every provider's rules ask for. From copies where a stale answer only costs
// another look, live where an approval rests on it (`isLive`).

import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import type { Node } from "../../../api/core/index.ts";
import {
  compileName,
  fillTemplate,
  JOIN_WINDOW_SECONDS,
  matchesName,
  type NodeIdentity,
  type Policy,
} from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import { CSRS, NODES } from "../../../api/meta/index.ts";
import { CONSUMED_BY_ANNOTATION, type Protocol } from "../../../attestation/evidence/index.ts";
import type { Asked, HelloStep, ProofStep } from "../../../attestation/provider.ts";
import {
  type ChallengeFacts,
  challengeOf,
  type EvidenceFacts,
  envelopeIn,
  type LimitFacts,
  type ProofFacts,
  pinsOf,
  signerParts,
} from "../../../attestation/rules/index.ts";
import { isFault, type Seen } from "../../../kernel/outcome/index.ts";
import { getIdentity } from "../../identities/known.ts";
import type { MachineQuery } from "../look.ts";
import type { ReadRequest } from "../reading.ts";
import { seeForeignNames, seeOwnNames } from "./own-names.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

/** Protocols that are spoken here. */
export function supportedBy({ providers }: Pick<AttestationWorld, "providers">): readonly Protocol[] {
  return providers.flatMap(({ name, versions }) => versions.map((version) => ({ provider: name, version })));
}

const NO_NODE = { kind: "Absent" } as const;

export interface Wanted {
  readonly isLive: boolean;
  /**
   * As it was seen before, where the next step writes it in exactly that state, or fails: that it can proves what a
   * read would.
   */
  readonly identity?: Seen<NodeIdentity> | undefined;
}

export async function gatherEvidence(
  world: AttestationWorld,
  look: EvidenceLook,
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
      authorizedProviders: policy === undefined ? servedProviders(world) : providersOf(world, policy),
    },
    policy: policy?.attestation ?? {},
    listedRequesters: policy?.client.requesters ?? [],
    refusesBootstrapTokens: policy?.client.bootstrapTokens === "Refuse",
    identity,
    machines,
    machineHolders: seeMachineHolders(world, look),
    joinWindowMs: (policy?.client.joinWindowSeconds ?? JOIN_WINDOW_SECONDS) * 1_000,
    // An operator who serves such a signer without a policy lets machines join unannounced.
    mayJoinUnenrolled: policy === undefined && provesNothing(world, signerParts(object.signerName)?.provider),
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

function providersOf({ providers }: AttestationWorld, { attestation }: Policy): readonly string[] {
  const proving = providers.filter((provider) => provider.provesNothing !== true);
  return attestation.providers ?? proving.map(({ name }) => name);
}

function provesNothing({ providers }: AttestationWorld, named: string | undefined): boolean {
  return providers.some((provider) => provider.name === named && provider.provesNothing === true);
}

async function seeIdentity(
  { management, identities, clusterName }: AttestationWorld,
  { envelope, signal }: EvidenceLook,
  isLive: boolean,
): Promise<Seen<NodeIdentity>> {
  if (envelope === undefined) return { kind: "Absent" };
  const copy = identities.find(envelope.node);
  if (!isLive || copy.kind === "NotRead") return copy;
  return await getIdentity(management, { nodeName: envelope.node, clusterName }, signal);
}

interface WantedMachines {
  readonly scope: Pick<MachineQuery, "clusterName" | "namespace">;
  readonly isLive: boolean;
}

/**
 * Only the copy finds Machines by provider ID. The one that was found is read live where an approval rests on it; none,
 * or two, is a wait or a refusal, and is not read again.
 */
async function seeMachines(
  { machines }: AttestationWorld,
  { envelope, signal }: EvidenceLook,
  { scope, isLive }: WantedMachines,
): Promise<Seen<readonly Machine[]>> {
  if (envelope === undefined) return { kind: "Absent" };
  const copied = machines.byProviderId(envelope.providerId, scope);
  const [machine, second] = copied.kind === "Present" ? copied.value : [];
  if (!isLive || machine === undefined || second !== undefined) return copied;
  const live = await machines.getLive(machine, signal);
  return { kind: "Present", value: live === undefined ? [] : [live] };
}

function seeMachineHolders(
  { identities }: AttestationWorld,
  { envelope }: EvidenceLook,
): EvidenceFacts["machineHolders"] {
  if (envelope === undefined) return { kind: "Absent" };
  return identities.holdersOfProvider(envelope.providerId, envelope.node);
}

async function seeNode(
  { client, getNode }: AttestationWorld,
  look: EvidenceLook,
  isLive: boolean,
): Promise<Seen<Node>> {
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
function seeTemplateNames({ policy, envelope }: EvidenceLook, machines: Seen<readonly Machine[]>): readonly string[] {
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
  { object, policy }: EvidenceLook,
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
  policy: EvidenceLook["policy"],
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

export const NO_HELLO: Seen<ReadRequest> = { kind: "Absent" };
const UNCHALLENGED = { ok: false, reason: "ChallengeUnknown", message: "nothing was challenged" } as const;

/** The facts of a hello, those of its provider included. */
export async function gatherHello(
  world: AttestationWorld,
  look: EvidenceLook,
  { step, ...wanted }: Wanted & { readonly step: HelloStep },
): Promise<ChallengeFacts> {
  const common = await gatherEvidence(world, look, wanted);
  const { all: challengeKeys } = await world.keys.ring();
  const facts = { ...common, challengeKeys, challenged: challengedSide(look) };
  return await step.gather(facts, askedOf(world, look, NO_HELLO));
}

/** The facts of a proof, with its hello as it was seen; of a single, with none. */
export async function gatherProof(
  world: AttestationWorld,
  look: EvidenceLook,
  { step, hello, ...wanted }: Wanted & { readonly step: ProofStep; readonly hello: Seen<ReadRequest> },
): Promise<ProofFacts> {
  const common = await gatherEvidence(world, look, wanted);
  const challenged = hello.kind === "Present" ? challengedSide(hello.value) : UNCHALLENGED;
  // A provider without challenges needs no keys: a cluster that attests no machine has none.
  const challengeKeys = step.kind === "proof" ? (await world.keys.ring(keyIdOf(hello))).all : [];
  return await step.gather({ ...common, challengeKeys, challenged, hello }, askedOf(world, look, hello));
}

/** The head of a challenge names the cluster as the machine does: one of ours, or a rule has refused it. */
function challengedSide({ object, reading }: Pick<ReadRequest, "object" | "reading">): ChallengeFacts["challenged"] {
  const envelope = envelopeIn({ reading });
  if (envelope === undefined) return UNCHALLENGED;
  return { ok: true, value: { cluster: envelope.cluster, helloRequest: object.request, helloUid: object.uid } };
}

function keyIdOf(hello: Seen<ReadRequest>): string | undefined {
  const parsed = hello.kind === "Present" ? challengeOf(hello.value) : undefined;
  return parsed?.ok === true ? parsed.value.challenge.kid : undefined;
}

function askedOf(
  { keys }: AttestationWorld,
  { csr, object, reading, signal }: EvidenceLook,
  hello: Seen<ReadRequest>,
): Asked {
  return {
    request: { csr, object, reading },
    hello,
    signal,
    challengeKeys: async (kid) => (await keys.ring(kid)).all,
  };
}

/** The request that a proof names, read live: a copy may lack its challenge, or not show that it was used up. */
export async function getHello(
  world: AttestationWorld,
  { envelope, signal }: EvidenceLook,
): Promise<Seen<ReadRequest>> {
  const name = envelope?.hello?.name;
  if (name === undefined) return NO_HELLO;
  try {
    const csr = await world.client.get<CertificateSigningRequest>(CSRS, { name }, { signal });
    const { recipients } = await world.keys.ring();
    return { kind: "Present", value: world.readRequest(csr, recipients) };
  } catch (error) {
    if (isFault(error, "not-found")) return NO_HELLO;
    throw error;
  }
}

/** The same from the copy, unless its challenge was used up there. */
export async function seeOpenHello(
  world: AttestationWorld,
  { envelope }: EvidenceLook,
): Promise<Seen<ReadRequest> | undefined> {
  const csr = world.getRequest(envelope?.hello?.name ?? "");
  if (csr === undefined || csr.metadata.annotations?.[CONSUMED_BY_ANNOTATION] !== undefined) return undefined;
  const { recipients } = await world.keys.ring();
  return { kind: "Present", value: world.readRequest(csr, recipients) };
}
