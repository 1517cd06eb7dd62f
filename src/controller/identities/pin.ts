// What was proven is written into the NodeIdentity (Pins), before anything is approved. One endorsement key, one live
// identity: the claim is written first (claim.ts), then everybody else's claims are read past every copy; of two who
// race at most one sees no other.

import {
  EK_LABEL,
  EXCHANGES_KEPT,
  type Exchange,
  type IssuedCertificate,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentityStatus,
} from "../../api/countersign/index.ts";
import { isOpened, isRetired, provesNothing } from "../../attestation/rules/index.ts";
import { auditedHolders, describeHolders, KEY_IN_USE, type KeyHolder } from "../../attestation/tpm/verifier.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import type { AttestationWorld } from "../judging/exchange/world.ts";
import type { Refusal } from "../judging/settle.ts";
import { type Claiming, claim, reopen, withdraw } from "./claim.ts";
import { holderOf, isLive } from "./known.ts";

export interface Pinning extends Claiming {
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
  const { nodeName, pins, exchange } = pinning;
  const taken = claimedByAnother(world, pinning);
  if (taken !== undefined) return { kind: "Refused", reason: "IdentityConflict", message: taken };
  const madeFor = provesNothing(pins.provider) ? exchange.proofUid : undefined;
  const claimed = await claim(world, { ...pinning, madeFor });
  const others = await othersBeside(world, pinning, claimed);
  if (others.length > 0) {
    await withdraw(world, pinning, claimed);
    const message = `the TPM of ${nodeName} is that of ${describeHolders(others)}`;
    return { kind: "Refused", reason: KEY_IN_USE, message, audited: auditedHolders(others) };
  }
  try {
    return { kind: "Pinned", identity: await write(world, pinning, claimed) };
  } catch (error) {
    await reopen(world, pinning, claimed);
    throw error;
  }
}

/** Another TPM's claim on this name stands, or the name is another cluster's. */
function claimedByAnother(
  world: AttestationWorld,
  { identity, ekLabel, nodeName, intent }: Pinning,
): string | undefined {
  if (identity.kind !== "Present") return undefined;
  const { metadata, spec } = identity.value;
  if (spec.nodeName !== nodeName || (spec.clusterName ?? world.clusterName) !== world.clusterName)
    return `the identity ${metadata.name ?? ""} is that of another node or cluster`;
  const label = metadata.labels?.[EK_LABEL];
  const isFree =
    label === undefined ||
    label === ekLabel ||
    !isLive(identity.value) ||
    isOpened({ identity, nowMs: world.clock.now() }, { intent: intent ?? "renew" });
  return isFree ? undefined : `${nodeName} was claimed by another TPM meanwhile`;
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

/**
 * The list that pinning asks for, ahead of its time: for an identity of the copy that bears the key. Undefined: it has
 * yet to be claimed.
 */
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
  const { items } = await world.management.list<NodeIdentity>(NODE_IDENTITIES, {
    labelSelector: `${EK_LABEL}=${ekLabel}`,
  });
  return items
    .filter((other) => other.metadata.uid !== own.metadata.uid && isLive(other))
    .map((other) => holderOf(other, world.clusterName));
}

async function write(world: AttestationWorld, pinning: Pinning, claimed: NodeIdentity): Promise<NodeIdentity> {
  const { pins, exchange } = pinning;
  const before = claimed.status ?? {};
  const exchanges = (before.exchanges ?? []).filter(({ proofUid }) => proofUid !== exchange.proofUid);
  const status: NodeIdentityStatus = {
    ...(before.certificates === undefined ? {} : { certificates: certificatesBefore(pinning, before.certificates) }),
    ...(before.conditions === undefined ? {} : { conditions: before.conditions }),
    ...pins,
    exchanges: [...exchanges, exchange].slice(-EXCHANGES_KEPT),
  };
  const written = await world.management.update(NODE_IDENTITIES, { ...claimed, status }, { subresource: "status" });
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
  return written;
}

/**
 * The name lives again, and nothing that it was given before it was retired does, though that is not written there yet.
 */
function certificatesBefore(
  { identity }: Pinning,
  certificates: readonly IssuedCertificate[],
): readonly IssuedCertificate[] {
  const isEnded = identity.kind === "Present" && isRetired(identity.value);
  return isEnded ? certificates.map((one) => ({ ...one, revoked: true })) : certificates;
}
