// `countersign identity retire NODE` and `revoke NODE`, and how they and `reset` write: what only a person may decide. The controller
// acts on it and writes it to the audit trail. What is said afterwards is what the node is then, by all that was ever said of it.

import {
  EK_LABEL,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import type { Command, CommandContext, CommandInput } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, describeIdentity, typedName } from "./describe.ts";
import { requireFreeKey } from "./free-key.ts";

export const NODE_ARGUMENT = { name: "<node>", description: "the node's name" } as const;

export const identityRevoke: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--lift", description: "take the revocation back; certificates stay revoked" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const revoked = !flagOption(input.options, "lift");
    const said = ({ spec: { nodeName, retired } }: NodeIdentity) => {
      if (revoked) return `node ${nodeName} is revoked`;
      return retired === true
        ? `node ${nodeName} is no longer revoked, and stays retired`
        : `node ${nodeName} may join again`;
    };
    return change(context, input, { plan: () => ({ spec: { revoked } }), said });
  },
};

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
}

export async function change(
  context: CommandContext,
  { options, args }: CommandInput,
  { plan, said }: Change,
): Promise<number> {
  const form = outputForm(options);
  const name = identityName(args[0] ?? "", textOption(options, "cluster"));
  const signal = context.stop;
  const client = await connectToCluster(context, options);
  try {
    const before = await client.get<NodeIdentity>(NODE_IDENTITIES, { name }, { signal });
    const { labels = {}, spec } = plan(before);
    await requireFreeKey(client, { name, ekLabel: labels[EK_LABEL] }, signal);
    const patch = { metadata: { uid: before.metadata.uid, labels }, spec };
    const after = await client.patch<NodeIdentity>(NODE_IDENTITIES, { name }, patch, { type: "merge", signal });
    context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(after))}\n` : `${said(after)}\n`);
    return 0;
  } finally {
    await client.close();
  }
}
