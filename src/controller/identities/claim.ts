// The first write of pinning: the identity bears the key that was proven, and what an operator opened for it is closed
// in the same write. A crash after it errs to the closed side: a machine whose join ends there needs the operator
// again, and no other machine gets in by it.

import {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  EK_LABEL,
  MADE_FOR_ANNOTATION,
  NODE_IDENTITIES,
  NODE_LABEL,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../api/countersign/index.ts";
import { isFault, type Seen } from "../../kernel/outcome/index.ts";
import { createIdentity } from "../../platform/identities/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import { getIdentity } from "./known.ts";

export interface Claiming {
  readonly nodeName: string;
  readonly intent: "join" | "renew" | undefined;
  /** As it is on the server now. */
  readonly identity: Seen<NodeIdentity>;
  /** Of the endorsement key; absent for a provider without one. */
  readonly ekLabel: string | undefined;
  /** Uid of a request that proves nothing. */
  readonly madeFor?: string | undefined;
}

export async function claim(world: AttestationWorld, claiming: Claiming): Promise<NodeIdentity> {
  const { identity, nodeName, ekLabel } = claiming;
  if (identity.kind !== "Present") return await create(world, claiming);
  const { name = "", uid, resourceVersion, labels } = identity.value.metadata;
  const ended = Object.keys(endedBy(claiming));
  if (ended.length === 0 && labels?.[EK_LABEL] === ekLabel) return identity.value;
  // Who comes without a TPM, after a reset, lets go of the one that was here before.
  const own = { [EK_LABEL]: ekLabel ?? null, [NODE_LABEL]: labelled(nodeName) };
  const patch = {
    metadata: { uid, resourceVersion, labels: own },
    ...(ended.length === 0 ? {} : { spec: Object.fromEntries(ended.map((word) => [word, null])) }),
  };
  const claimed = await world.management.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge" });
  if (ended.includes("reset"))
    world.log.info("identity reset used up", { audit: true, node: nodeName, identity: name });
  return claimed;
}

/** What an operator said of the identity that is over with this exchange. */
function endedBy({ identity, intent }: Claiming): Pick<NodeIdentitySpec, "retired" | "reset"> {
  const { retired, reset } = identity.kind === "Present" ? identity.value.spec : {};
  // A reset opens the pins for one join, or the clock for one exchange: a renewal by the machine that is still there
  // must not use up what was opened for its successor.
  const isUsedUp = reset !== undefined && (reset.clock === true || intent === "join");
  // The name lives again.
  return { ...(retired === undefined ? {} : { retired }), ...(isUsedUp ? { reset } : {}) };
}

async function create({ management, clusterName }: AttestationWorld, claiming: Claiming): Promise<NodeIdentity> {
  const { nodeName, ekLabel, madeFor } = claiming;
  return await createIdentity(management, {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: NODE_IDENTITIES.kind,
    metadata: {
      ...(madeFor === undefined ? {} : { annotations: { [MADE_FOR_ANNOTATION]: madeFor } }),
      labels: {
        [NODE_LABEL]: labelled(nodeName),
        ...(clusterName === undefined ? {} : { [CLUSTER_LABEL]: clusterName }),
        ...(ekLabel === undefined ? {} : { [EK_LABEL]: ekLabel }),
      },
    },
    spec: { nodeName, ...(clusterName === undefined ? {} : { clusterName }) },
  });
}

/** A label has at most 63 characters and ends in a letter or digit; longer names are found by the object's name. */
function labelled(nodeName: string): string {
  return nodeName.slice(0, 63).replace(/[^a-z0-9]+$/, "");
}

/** What this exchange made goes; what it found is as it was. */
export async function withdraw(world: AttestationWorld, claiming: Claiming, claimed: NodeIdentity): Promise<void> {
  const { name = "", uid } = claimed.metadata;
  if (claiming.identity.kind !== "Present") {
    await world.management.delete(NODE_IDENTITIES, { name }, uid === undefined ? {} : { uid });
    return;
  }
  try {
    await giveBack(world, claiming, claimed);
  } catch (error) {
    if (!isFault(error, "conflict")) throw error;
    // It was written meanwhile. A claim that is not withdrawn would keep the key's rightful holder from it: in the
    // state of now.
    const standing = await seeClaim(world, claiming, claimed);
    if (standing !== undefined) await giveBack(world, claiming, standing);
  }
}

/**
 * The pins could not be written, and the next look judges anew: by the same reset of the operator, if no machine was
 * attested by it.
 */
export async function reopen(world: AttestationWorld, claiming: Claiming, claimed: NodeIdentity): Promise<void> {
  if (endedBy(claiming).reset === undefined) return;
  const standing = await seeClaim(world, claiming, claimed);
  if (standing !== undefined && standing.status?.attestedAt === claimed.status?.attestedAt)
    await giveBack(world, claiming, standing);
}

/** The identity as it is now, where it still bears the claim. */
async function seeClaim(
  { management }: AttestationWorld,
  { ekLabel }: Claiming,
  { metadata: { uid }, spec }: NodeIdentity,
): Promise<NodeIdentity | undefined> {
  const live = await getIdentity(management, spec);
  if (live.kind !== "Present" || live.value.metadata.uid !== uid) return undefined;
  return live.value.metadata.labels?.[EK_LABEL] === ekLabel ? live.value : undefined;
}

/** What an operator said meanwhile stands. */
async function giveBack(world: AttestationWorld, claiming: Claiming, current: NodeIdentity): Promise<void> {
  const { name = "", uid, resourceVersion } = current.metadata;
  const { identity, nodeName } = claiming;
  const label = identity.kind === "Present" ? identity.value.metadata.labels?.[EK_LABEL] : undefined;
  const given = Object.entries(endedBy(claiming)).filter(([word]) => !(word in current.spec));
  const patch = {
    metadata: { uid, resourceVersion, labels: { [EK_LABEL]: label ?? null } },
    ...(given.length === 0 ? {} : { spec: Object.fromEntries(given) }),
  };
  await world.management.patch(NODE_IDENTITIES, { name }, patch, { type: "merge" });
  if (given.some(([word]) => word === "reset"))
    world.log.info("identity reset given back", { audit: true, node: nodeName, identity: name });
}
