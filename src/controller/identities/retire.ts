// Identities whose Machine and Node are gone are retired (Pins): their certificates end, and their endorsement key may
// serve another. What an operator said is done here too: revoked, lifted, retired.

import { EK_LABEL, NODE_IDENTITIES, type NodeIdentity, type NodeIdentityStatus } from "../../api/countersign/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";

type Phase = NonNullable<NodeIdentityStatus["phase"]>;
type RetiringWorld = Pick<
  AttestationWorld,
  "identities" | "machines" | "getNode" | "management" | "log" | "clusterName"
>;

export async function retire(world: RetiringWorld): Promise<void> {
  const { identities } = world;
  for (const identity of identities.list()) {
    await follow(world, identity, isElsewhere(world, identity) ? saidPhase(identity) : nextPhase(world, identity));
  }
  for (const identity of identities.elsewhere()) await follow(world, identity, saidPhase(identity));
}

async function follow(world: RetiringWorld, identity: NodeIdentity, phase: Phase | undefined): Promise<void> {
  if (phase === undefined) return;
  try {
    const turned = phase === identity.status?.phase ? identity : await turn(world, identity, phase);
    // A retired node's TPM may serve another; a revoked one's may not.
    if (phase === "Retired") await letKeyGo(world, turned);
  } catch (error) {
    // It was written meanwhile, or it cannot be written as it is: looked at again with the next round, after all the
    // others.
    const isItsOwn = ["conflict", "not-found", "invalid"].some((code) => isFault(error) && error.code === code);
    if (!isItsOwn) throw error;
    world.log.warn("identity could not change its phase", { identity: identity.metadata.name, phase, error });
  }
}

/**
 * A Cluster is in one namespace: what is pinned to a Machine of another has our name and is not ours, so nothing is
 * gone of it.
 */
function isElsewhere({ clusterName, machines }: RetiringWorld, { status }: NodeIdentity): boolean {
  const [namespaces, pinned] = [machines.namespaces(), status?.machine?.namespace];
  if (clusterName === undefined || pinned === undefined || namespaces.length === 0) return false;
  return !namespaces.includes(pinned);
}

function nextPhase(world: RetiringWorld, identity: NodeIdentity): Phase | undefined {
  const said = saidPhase(identity);
  const { status, spec } = identity;
  if (said !== status?.phase || status?.machine === undefined || isOver(said)) return said;
  if (world.machines.has(status.machine.uid, status.providerId)) return "Active";
  // A lifted retirement holds until the node joins again, or the operator would have to be quicker than this round.
  const isGone = world.getNode(spec.nodeName) === undefined && spec.retired !== false;
  return isGone ? "Retired" : "Retiring";
}

/** What the operator's words make of it, else what it is. */
function saidPhase({ status, spec }: NodeIdentity): Phase | undefined {
  if (spec.revoked === true) return "Revoked";
  if (spec.retired === true) return "Retired";
  // Lifted: the phase was written here and is taken back here, or the judges would hold it against the node for ever.
  const isLifted = status?.phase === "Revoked" || (status?.phase === "Retired" && spec.retired === false);
  if (isLifted) return status.attestedAt === undefined ? "Pending" : "Active";
  return status?.phase;
}

function isOver(phase: Phase | undefined): boolean {
  return phase === "Retired" || phase === "Revoked";
}

async function turn(world: RetiringWorld, identity: NodeIdentity, phase: Phase): Promise<NodeIdentity> {
  const certificates = (identity.status?.certificates ?? []).map((one) =>
    isOver(phase) ? { ...one, revoked: true } : one,
  );
  const status = { ...identity.status, phase, certificates };
  const turned = await world.management.update<NodeIdentity>(
    NODE_IDENTITIES,
    { ...identity, status },
    { subresource: "status" },
  );
  const { name } = identity.metadata;
  world.log.info("identity changed its phase", { audit: true, identity: name, node: identity.spec.nodeName, phase });
  return turned;
}

/**
 * In the very state that is retired: who joins under the name meanwhile has claimed it, and that claim is not ours to
 * take.
 */
async function letKeyGo(world: RetiringWorld, { metadata }: NodeIdentity): Promise<void> {
  const { name = "", uid, resourceVersion, labels } = metadata;
  if (labels?.[EK_LABEL] === undefined) return;
  const patch = { metadata: { uid, resourceVersion, labels: { [EK_LABEL]: null } } };
  await world.management.patch(NODE_IDENTITIES, { name }, patch, { type: "merge" });
  world.log.debug("endorsement key let go", { identity: name });
}
