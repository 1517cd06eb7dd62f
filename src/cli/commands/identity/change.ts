// How `identity retire`, `revoke` and `reset` write what only an operator may decide. The controller acts on it and
// writes it to the audit trail. The printed sentence describes the node after the change, with all earlier decisions.

import {
  EK_LABEL,
  type IdentityOwner,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { createIdentity, findIdentity } from "../../../platform/identities/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { CommandContext, CommandInput } from "../../command.ts";
import { connectToCluster } from "../../connect.ts";
import { outputForm, textOption } from "../../options.ts";
import { describeIdentity } from "./describe.ts";
import { requireFreeKey, requireIdentity } from "./identities.ts";

/** A merge patch. */
export interface IdentityPatch {
  /** An EK label among them must not be another identity's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Partial<Record<keyof NodeIdentitySpec, unknown>>>;
}

interface Change {
  /** By what the identity is before; a fault ends it there, with nothing written. */
  readonly plan: (before: NodeIdentity) => IdentityPatch;
  readonly said: (after: NodeIdentity) => string;
  /**
   * Whether every certificate that the identity has recorded is marked revoked first. The controller does so within a
   * minute of a revocation or retirement, which may have been lifted by then.
   */
  readonly endsCertificates?: ((before: NodeIdentity) => boolean) | undefined;
  /** What is made where a node of this cluster has no identity. Left out: that is a fault. */
  readonly absent?: Absent | undefined;
  /** Whether the identity states nothing more after the change: then it is deleted. */
  readonly isOver?: ((before: NodeIdentity) => boolean) | undefined;
}

interface Absent {
  readonly make: (nodeName: string, clusterName: string | undefined) => NodeIdentity;
  /** Whatever is known here of the name. */
  readonly isForced: boolean;
}

export async function change(
  context: CommandContext,
  { options, args }: CommandInput,
  wanted: Change,
): Promise<number> {
  const form = outputForm(options);
  const owner = { nodeName: args[0] ?? "", clusterName: textOption(options, "cluster") };
  const signal = context.stop;
  const { said } = wanted;
  const client = await connectToCluster(context, options);
  try {
    const before = await findIdentity(client, owner, signal);
    const after =
      before === undefined
        ? await create(client, owner, { absent: wanted.absent, signal })
        : await write(client, before, { ...wanted, signal });
    context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(after))}\n` : `${said(after)}\n`);
    return 0;
  } finally {
    await client.close();
  }
}

/**
 * Only for a known node: after a mistyped name or a missing --cluster, the operator must not read that it is revoked
 * while the stolen machine continues.
 */
async function create(
  client: KubeClient,
  owner: IdentityOwner,
  { absent, signal }: Pick<Change, "absent"> & { readonly signal: AbortSignal },
): Promise<NodeIdentity> {
  if (absent === undefined) return await requireIdentity(client, owner, signal);
  const { nodeName, clusterName } = owner;
  const made = absent.make(nodeName, clusterName);
  const isKnown = absent.isForced || (clusterName === undefined && (await hasNode(client, nodeName, signal)));
  if (isKnown) return await createIdentity(client, made, signal);
  const todo =
    "look for it: countersign identity list; where one management cluster has several clusters, say whose: --cluster NAME; " +
    "to revoke a name that nothing here knows: --new";
  throw new Fault("not-found", `${nodeName} has no identity and no Node here`, { detail: { todo } });
}

async function hasNode(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(NODES, { name }, { signal });
    return true;
  } catch (error) {
    if (isFault(error, "not-found")) return false;
    throw error;
  }
}

async function write(
  client: KubeClient,
  before: NodeIdentity,
  { plan, isOver, endsCertificates, signal }: Change & { readonly signal: AbortSignal },
): Promise<NodeIdentity> {
  const { name = "", uid } = before.metadata;
  const { labels = {}, spec } = plan(before);
  if (isOver?.(before) === true) {
    await client.delete(NODE_IDENTITIES, { name }, { ...(uid === undefined ? {} : { uid }), signal });
    return { ...before, spec: { ...before.spec, ...spec } as NodeIdentitySpec };
  }
  await requireFreeKey(client, { name, ekLabel: labels[EK_LABEL] }, signal);
  if (endsCertificates?.(before) === true) await endCertificates(client, before, signal);
  const patch = { metadata: { uid, labels }, spec };
  return await client.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge", signal });
}

/** In the state of now: the controller may write meanwhile, and is then read anew. */
async function endCertificates(client: KubeClient, seen: NodeIdentity, signal: AbortSignal): Promise<void> {
  const certificates = (seen.status?.certificates ?? []).map((one) => ({ ...one, revoked: true }));
  if ((seen.status?.certificates ?? []).every(({ revoked }) => revoked === true)) return;
  const status = { ...seen.status, certificates };
  try {
    await client.update<NodeIdentity>(NODE_IDENTITIES, { ...seen, status }, { subresource: "status", signal });
  } catch (error) {
    if (!isFault(error, "conflict")) throw error;
    await endCertificates(client, await requireIdentity(client, seen.spec, signal), signal);
  }
}
