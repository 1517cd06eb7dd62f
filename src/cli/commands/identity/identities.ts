// Identities that the commands make and find.

import {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  EK_LABEL,
  ekLabelOf,
  type IdentityOwner,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { findIdentity } from "../../../platform/identities/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { phaseOf, typedName } from "./describe.ts";

/** The identity of an enrolment. The TPM is claimed for the node at once: one key, one live identity. */
export function enrolledIdentity(spec: NodeIdentitySpec): NodeIdentity {
  const { nodeName, clusterName, tpm } = spec;
  return {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: NODE_IDENTITIES.kind,
    metadata: {
      name: identityName(nodeName, clusterName),
      labels: {
        ...(clusterName === undefined ? {} : { [CLUSTER_LABEL]: clusterName }),
        ...(tpm === undefined ? {} : { [EK_LABEL]: ekLabelOf(tpm.ek.spkiSha256) }),
      },
    },
    spec,
  };
}

interface KeyClaim {
  /** Of the identity that is to have the key. */
  readonly name: string | undefined;
  /** Of the key; undefined: it is to have none. */
  readonly ekLabel: string | undefined;
}

/**
 * One TPM, one live identity: with another's key the node could not join, nor the other renew. Checked before the
 * write. Fault `already-exists`, with what to do about the holder.
 */
export async function requireFreeKey(
  client: KubeClient,
  { name, ekLabel }: KeyClaim,
  signal: AbortSignal,
): Promise<void> {
  if (ekLabel === undefined) return;
  const { items } = await client.list<NodeIdentity>(NODE_IDENTITIES, {
    labelSelector: `${EK_LABEL}=${ekLabel}`,
    signal,
  });
  const holder = items.find((other) => other.metadata.name !== name && phaseOf(other) !== "Retired");
  if (holder === undefined) return;
  const { nodeName } = holder.spec;
  const isRevoked = phaseOf(holder) === "Revoked";
  const todo = isRevoked
    ? `lift that first: countersign identity revoke ${typedName(holder)} --lift`
    : `countersign identity retire ${typedName(holder)}, if that machine is gone`;
  const message = `the TPM is that of node ${nodeName}${isRevoked ? ", which is revoked" : ""}`;
  throw new Fault("already-exists", message, { detail: { nodeName, todo } });
}

/** One machine, one live identity of a cluster. Fault `already-exists`, with what to do about the holder. */
export async function requireFreeProviderId(
  client: KubeClient,
  { providerId, clusterName }: NodeIdentitySpec,
  signal: AbortSignal,
): Promise<void> {
  if (providerId === undefined) return;
  const { items } = await client.list<NodeIdentity>(NODE_IDENTITIES, { signal });
  const holder = items.find(
    (other) =>
      other.spec.clusterName === clusterName &&
      (other.status?.providerId ?? other.spec.providerId) === providerId &&
      phaseOf(other) !== "Retired",
  );
  if (holder === undefined) return;
  const { nodeName } = holder.spec;
  const todo = `countersign identity retire ${typedName(holder)}, if that machine is gone`;
  throw new Fault("already-exists", `the provider ID is that of node ${nodeName}`, { detail: { nodeName, todo } });
}

/** The identity of a node, under either of its two names. Fault `not-found`, with what to look at. */
export async function requireIdentity(
  client: KubeClient,
  owner: IdentityOwner,
  signal: AbortSignal,
): Promise<NodeIdentity> {
  const identity = await findIdentity(client, owner, signal);
  if (identity !== undefined) return identity;
  const { nodeName, clusterName } = owner;
  const whose = clusterName === undefined ? "" : ` of cluster ${clusterName}`;
  const todo =
    "look for it: countersign identity list; where one management cluster has several clusters, say whose: --cluster NAME";
  throw new Fault("not-found", `node ${nodeName}${whose} has no identity`, { detail: { todo } });
}
