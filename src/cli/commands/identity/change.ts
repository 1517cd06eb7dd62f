// `countersign identity retire NODE` and `revoke NODE`, and how they and `reset` write: what only a person may decide. The controller
// acts on it and writes it to the audit trail. What is said afterwards is what the node is then, by all that was ever said of it.

import {
  EK_LABEL,
  type IdentityOwner,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { parseNodeName } from "../../../node/index.ts";
import { createIdentity, findIdentity } from "../../../platform/identities/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Command, CommandContext, CommandInput } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, describeIdentity, typedName } from "./describe.ts";
import { enrolledIdentity } from "./enrolled.ts";
import { requireFreeKey } from "./free-key.ts";
import { requireIdentity } from "./require-identity.ts";

export const NODE_ARGUMENT = { name: "<node>", description: "the node's name" } as const;

export const identityRevoke: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take the revocation back; certificates stay revoked" },
    { flags: "--new", description: "also a name that has neither an identity nor a Node here" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const revoked = !flagOption(input.options, "lift");
    const said = ({ spec: { nodeName, retired }, metadata }: NodeIdentity) => {
      if (revoked && isMadeByRevoke(metadata)) return `node ${nodeName} is revoked; it had no identity and has one now`;
      if (revoked) return `node ${nodeName} is revoked`;
      return retired === true
        ? `node ${nodeName} is no longer revoked, and stays retired`
        : `node ${nodeName} may join again`;
    };
    return change(context, input, {
      plan: () => ({ spec: { revoked } }),
      said,
      absent: revoked ? { make: revokedIdentity, isForced: flagOption(input.options, "new") } : undefined,
      isOver: revoked ? undefined : saysNothingElse,
    });
  },
};

/**
 * A node that joined by its token alone has no identity until it is revoked. One that was made for that says nothing else, and goes when
 * the revocation is lifted: left behind, it would ask the node for a proof that nobody wanted of it before.
 */
const MADE_BY_REVOKE = "countersign.dev/made-by-revoke";

function isMadeByRevoke({ annotations }: NodeIdentity["metadata"]): boolean {
  return annotations?.[MADE_BY_REVOKE] === "true";
}

/** Enrolled or attested meanwhile, it has more to say than that the node was revoked. */
function saysNothingElse({ metadata, spec, status }: NodeIdentity): boolean {
  const { nodeName: _node, clusterName: _cluster, revoked: _revoked, ...said } = spec;
  return isMadeByRevoke(metadata) && Object.keys(said).length === 0 && status?.provider === undefined;
}

function revokedIdentity(name: string, clusterName: string | undefined): NodeIdentity {
  const nodeName = parseNodeName(name);
  const made = enrolledIdentity({ nodeName, revoked: true, ...(clusterName === undefined ? {} : { clusterName }) });
  return { ...made, metadata: { ...made.metadata, annotations: { [MADE_BY_REVOKE]: "true" } } };
}

export const identityRetire: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take it back: the name may join again, its certificates stay revoked" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const retired = !flagOption(input.options, "lift");
    const said = (identity: NodeIdentity) => {
      const { nodeName, revoked } = identity.spec;
      if (revoked !== true) return retired ? `node ${nodeName} is retired` : `node ${nodeName} may join again`;
      const then = retired ? "it is retired, and its TPM free," : "it may join again";
      return `node ${nodeName} stays revoked; ${then} once that is lifted: countersign identity revoke ${typedName(identity)} --lift`;
    };
    // Taken back before the controller acted on it, the node would have its key again, which may be another's by now.
    const plan = ({ metadata: { labels = {} } }: NodeIdentity) => ({
      ...(retired || labels[EK_LABEL] === undefined ? {} : { labels: { [EK_LABEL]: labels[EK_LABEL] } }),
      spec: { retired },
    });
    return change(context, input, { plan, said });
  },
};

/** A merge patch. */
export interface IdentityPatch {
  /** A key among them must be nobody else's. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Partial<Record<keyof NodeIdentitySpec, unknown>>>;
}

export interface Change {
  /** By what the identity is before; a fault ends it there, with nothing written. */
  readonly plan: (before: NodeIdentity) => IdentityPatch;
  readonly said: (after: NodeIdentity) => string;
  /** What is made where a node of this cluster has no identity. Left out: that is a fault. */
  readonly absent?: Absent | undefined;
  /** Whether nothing is left to say of the node after the change: then its identity is deleted. */
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
 * For a node that is known here alone: whoever mistypes a name, or leaves out whose node it is, must not be told that it is revoked
 * while the stolen one goes on.
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
  { plan, isOver, signal }: Change & { readonly signal: AbortSignal },
): Promise<NodeIdentity> {
  const { name = "", uid } = before.metadata;
  const { labels = {}, spec } = plan(before);
  if (isOver?.(before) === true) {
    await client.delete(NODE_IDENTITIES, { name }, { ...(uid === undefined ? {} : { uid }), signal });
    return { ...before, spec: { ...before.spec, ...spec } as NodeIdentitySpec };
  }
  await requireFreeKey(client, { name, ekLabel: labels[EK_LABEL] }, signal);
  const patch = { metadata: { uid, labels }, spec };
  return await client.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge", signal });
}
