// One TPM, one live identity: the node could not join with a key that another has, nor the other renew. Better said before the write.

import { EK_LABEL, NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import { phaseOf, typedName } from "./describe.ts";

export interface KeyClaim {
  /** Of the identity that is to have the key. */
  readonly name: string | undefined;
  /** Of the key; undefined: it is to have none. */
  readonly ekLabel: string | undefined;
}

/** Fault `already-exists`, with what to do about the holder. */
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
