// A request with evidence → the facts that every provider's rules ask for. From copies where a stale answer only costs another
// look, live where an approval rests on it (`isLive`).

import type { Node } from "../../api/core/index.ts";
import {
  compileName,
  fillTemplate,
  identityName,
  matchesName,
  type NodeIdentity,
} from "../../api/countersign/index.ts";
import type { Machine } from "../../api/foreign/index.ts";
import { NODES } from "../../api/meta/index.ts";
import type { Protocol } from "../../attestation/evidence/index.ts";
import { type EvidenceFacts, type LimitFacts, pinsOf, signerParts } from "../../attestation/verifiers/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { getIdentity } from "./known/index.ts";
import { seeForeignNames, seeOwnNames } from "./own-names.ts";
import type { AttestationWorld, Look } from "./world.ts";

/** Protocols with a verifier here, and those of installed providers. */
export function supportedBy({ verifiers }: Pick<AttestationWorld, "verifiers">): readonly Protocol[] {
  const installed = verifiers.flatMap(({ name, versions }) => versions.map((version) => ({ provider: name, version })));
  return [{ provider: "tpm", version: 1 }, { provider: "insecure", version: 1 }, ...installed];
}

/** Where no policy says: a cluster that is brought up at once joins so many in an hour. */
const NEW_IDENTITIES_PER_HOUR = 100;
/** Where no policy says: as JoinPolicy has it. */
const JOIN_WINDOW_MS = 2 * 3_600_000;
const NO_NODE = { kind: "Absent" } as const;

export async function gatherEvidence(
  world: AttestationWorld,
  look: Look,
  { isLive }: { readonly isLive: boolean },
): Promise<EvidenceFacts> {
  const { csr, object, reading, policy, envelope } = look;
  const [identity, node, tokenMachine] = await Promise.all([
    seeIdentity(world, look, isLive),
    seeNode(world, look, isLive),
    world.machineOfToken(object.requester.username, look.signal),
  ]);
  const scope = {
    clusterName: policy?.machines.clusterName ?? world.clusterName,
    namespace: policy?.machines.namespace,
  };
  const machines =
    envelope === undefined ? ({ kind: "Absent" } as const) : world.machines.byProviderId(envelope.providerId, scope);
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
    identity,
    machines,
    machineHolders: seeMachineHolders(world, look),
    joinWindowMs: policy?.client.joinWindowMs ?? JOIN_WINDOW_MS,
    // Whoever serves the insecure signer without a policy has said that machines may come unannounced.
    mayJoinUnenrolled: policy === undefined && signerParts(object.signerName)?.provider === "insecure",
    tokenMachine,
    templateNames: seeTemplateNames(look, machines),
    node: node.kind === "Present" ? { kind: "Present", value: { uid: node.value.metadata.uid ?? "" } } : node,
    ownNames: seeOwnNames(look, machines, node),
    foreignNames: seeForeignNames(world, look, { machines, scope }),
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
  const copy = identities.find(envelope.node, clusterName);
  if (!isLive || copy.kind === "NotRead") return copy;
  return await getIdentity(home, identityName(envelope.node, clusterName), signal);
}

function seeMachineHolders(
  { identities, clusterName }: AttestationWorld,
  { envelope }: Look,
): EvidenceFacts["machineHolders"] {
  if (envelope === undefined) return { kind: "Absent" };
  return identities.holdersOfProvider(envelope.providerId, identityName(envelope.node, clusterName));
}

async function seeNode({ client, getNode }: AttestationWorld, look: Look, isLive: boolean): Promise<Seen<Node>> {
  const { envelope, signal } = look;
  if (envelope === undefined) return NO_NODE;
  const copy = getNode(envelope.node);
  if (copy !== undefined || !isLive) return copy === undefined ? NO_NODE : { kind: "Present", value: copy };
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
    newIdentitiesPerHour: policy?.limits.newIdentitiesPerHour ?? NEW_IDENTITIES_PER_HOUR,
  };
}

/** Open hellos of one requester that are always allowed. */
const LEAST_OPEN = 32;
