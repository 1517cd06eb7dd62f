// P17: what was proven is written into the NodeIdentity (protocol 3.7), before anything is approved. One endorsement key, one live
// identity: the claim is written first, then everybody else's claims are read past every copy; of two who race at most one sees
// no other.

import {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  EK_LABEL,
  EXCHANGES_KEPT,
  type Exchange,
  identityName,
  NODE_IDENTITIES,
  NODE_LABEL,
  type NodeIdentity,
  type NodeIdentityStatus,
} from "../../api/countersign/index.ts";
import { describeHolders, isOpened, type KeyHolder } from "../../attestation/verifiers/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { holderOf, isLive } from "./known/index.ts";
import { auditedHolders, KEY_IN_USE, type Refusal } from "./settle.ts";
import type { AttestationWorld } from "./world.ts";

export interface Pinning {
  readonly nodeName: string;
  readonly intent: "join" | "renew" | undefined;
  /** As it is on the server now. */
  readonly identity: Seen<NodeIdentity>;
  /** Of the endorsement key; absent for a provider without one. */
  readonly ekLabel: string | undefined;
  readonly pins: NodeIdentityStatus;
  readonly exchange: Exchange;
  /** Where they were listed already. */
  readonly holders?: ListedHolders | undefined;
}

/** Who else bears the key, listed after the identity was seen to bear it in this version. */
export interface ListedHolders {
  readonly resourceVersion: string | undefined;
  readonly others: readonly KeyHolder[];
}

export type Pinned =
  | { readonly kind: "Pinned"; readonly identity: NodeIdentity }
  | ({ readonly kind: "Refused" } & Refusal);

export async function pin(world: AttestationWorld, pinning: Pinning): Promise<Pinned> {
  const { nodeName } = pinning;
  const taken = claimedByAnother(world, pinning);
  if (taken !== undefined) return { kind: "Refused", reason: "IdentityConflict", message: taken };
  const claimed = await claim(world, pinning);
  const others = await othersBeside(world, pinning, claimed);
  if (others.length > 0) {
    await withdraw(world, pinning, claimed);
    const message = `the TPM of ${nodeName} is that of ${describeHolders(others)}`;
    return { kind: "Refused", reason: KEY_IN_USE, message, audited: auditedHolders(others) };
  }
  return { kind: "Pinned", identity: await write(world, pinning, claimed) };
}

/** Another TPM's claim on this name stands, or the name is another cluster's. */
function claimedByAnother(
  world: AttestationWorld,
  { identity, ekLabel, nodeName, intent }: Pinning,
): string | undefined {
  if (identity.kind !== "Present") return undefined;
  const { metadata, spec, status } = identity.value;
  if (spec.nodeName !== nodeName || (spec.clusterName ?? world.clusterName) !== world.clusterName)
    return `the identity ${metadata.name ?? ""} is that of another node or cluster`;
  const label = metadata.labels?.[EK_LABEL];
  const isFree =
    label === undefined ||
    label === ekLabel ||
    status?.phase === "Retired" ||
    isOpened({ identity, nowMs: world.clock.now() }, { intent: intent ?? "renew" });
  return isFree ? undefined : `${nodeName} was claimed by another TPM meanwhile`;
}

async function claim(world: AttestationWorld, { identity, nodeName, ekLabel }: Pinning): Promise<NodeIdentity> {
  const { home, clusterName } = world;
  if (identity.kind === "Present") {
    const { name = "", uid, resourceVersion, labels } = identity.value.metadata;
    const isRetired = identity.value.spec.retired === true;
    if (!isRetired && labels?.[EK_LABEL] === ekLabel) return identity.value;
    // Who comes without a TPM, after a reset, lets go of the one that was here before.
    const metadata = {
      uid,
      resourceVersion,
      labels: { [EK_LABEL]: ekLabel ?? null, [NODE_LABEL]: labelled(nodeName) },
    };
    // The name lives again.
    const patch = { metadata, ...(isRetired ? { spec: { retired: null } } : {}) };
    return await home.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge" });
  }
  return await home.create<NodeIdentity>(NODE_IDENTITIES, {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: NODE_IDENTITIES.kind,
    metadata: {
      name: identityName(nodeName, clusterName),
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

/** An identity that bears its claim already, and is still as it was then, has been listed for. */
async function othersBeside(
  world: AttestationWorld,
  { ekLabel, holders }: Pinning,
  claimed: NodeIdentity,
): Promise<readonly KeyHolder[]> {
  if (ekLabel === undefined) return [];
  const isListed = holders !== undefined && holders.resourceVersion === claimed.metadata.resourceVersion;
  return isListed ? holders.others : await otherHolders(world, ekLabel, claimed);
}

/** The list that P17 asks for, ahead of its time: for an identity of the copy that bears the key. Undefined: it has yet to be claimed. */
export async function listHolders(
  world: AttestationWorld,
  identity: Seen<NodeIdentity>,
  ekLabel: string | undefined,
): Promise<ListedHolders | undefined> {
  if (identity.kind !== "Present" || ekLabel === undefined) return undefined;
  const { labels, resourceVersion } = identity.value.metadata;
  if (labels?.[EK_LABEL] !== ekLabel) return undefined;
  return { resourceVersion, others: await otherHolders(world, ekLabel, identity.value) };
}

async function otherHolders(
  world: AttestationWorld,
  ekLabel: string,
  own: NodeIdentity,
): Promise<readonly KeyHolder[]> {
  const { items } = await world.home.list<NodeIdentity>(NODE_IDENTITIES, { labelSelector: `${EK_LABEL}=${ekLabel}` });
  return items
    .filter((other) => other.metadata.uid !== own.metadata.uid && isLive(other))
    .map((other) => holderOf(other, world.clusterName));
}

/** What this exchange made goes; what it found is as it was. */
async function withdraw(world: AttestationWorld, { identity }: Pinning, claimed: NodeIdentity): Promise<void> {
  const { name = "", uid } = claimed.metadata;
  if (identity.kind === "Present") {
    const label = identity.value.metadata.labels?.[EK_LABEL] ?? null;
    const metadata = { uid, labels: { [EK_LABEL]: label } };
    await world.home.patch(NODE_IDENTITIES, { name }, { metadata }, { type: "merge" });
  } else {
    await world.home.delete(NODE_IDENTITIES, { name }, uid === undefined ? {} : { uid });
  }
}

async function write(world: AttestationWorld, pinning: Pinning, claimed: NodeIdentity): Promise<NodeIdentity> {
  const { pins, exchange } = pinning;
  const before = claimed.status ?? {};
  const exchanges = (before.exchanges ?? []).filter(({ proofUid }) => proofUid !== exchange.proofUid);
  const status: NodeIdentityStatus = {
    ...(before.certificates === undefined ? {} : { certificates: before.certificates }),
    ...(before.conditions === undefined ? {} : { conditions: before.conditions }),
    ...pins,
    exchanges: [...exchanges, exchange].slice(-EXCHANGES_KEPT),
  };
  const written = await world.home.update(NODE_IDENTITIES, { ...claimed, status }, { subresource: "status" });
  world.log.info("identity pinned", {
    audit: true,
    node: pinning.nodeName,
    identity: claimed.metadata.name,
    provider: pins.provider,
    level: pins.tpm?.ek.trust ?? pins.level ?? "Unattested",
    // Never the whole: an endorsement key is a serial number for life.
    ek: pinning.ekLabel?.slice(0, 12),
    uid: exchange.proofUid,
  });
  const { reset } = claimed.spec;
  // A renewal by the machine that is still there must not use up what was opened for its successor.
  const isUsedUp = reset !== undefined && (reset.clock === true || pinning.intent === "join");
  return isUsedUp ? await endReset(world, written) : written;
}

/** A reset opens the pins for one join, or the clock for one exchange. */
async function endReset(world: AttestationWorld, identity: NodeIdentity): Promise<NodeIdentity> {
  const { name = "", uid } = identity.metadata;
  const patch = { metadata: { uid }, spec: { reset: null } };
  world.log.info("identity reset used up", { audit: true, node: identity.spec.nodeName, identity: name });
  return await world.home.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge" });
}
