// The identity that a command is about, under whichever of its two names it stands.

import type { IdentityOwner, NodeIdentity } from "../../../api/countersign/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { findIdentity } from "../../../platform/identities/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";

/** Fault `not-found`, with what to look at. */
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
