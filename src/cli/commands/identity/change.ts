// `countersign identity reset NODE`, `retire NODE` and `revoke NODE`: what only a person may decide. The controller acts on it
// and writes it to the audit trail.

import {
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import type { Command, CommandContext, CommandInput } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { flagOption, OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, describeIdentity } from "./describe.ts";
import { EK_HASH_OPTION, ekHashOption } from "./ek-hash.ts";

/** Long enough to boot a machine with its new board, too short to be forgotten open. */
const OPEN_MS = 3_600_000;
const NODE_ARGUMENT = { name: "<node>", description: "the node's name" } as const;

export const identityReset: Command = {
  arguments: [NODE_ARGUMENT],
  options: [
    KUBECONFIG_OPTION,
    { flags: "--clock", description: "only the TPM's clock: its keys stay pinned" },
    { ...EK_HASH_OPTION, description: "the one endorsement key that may be pinned anew" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  run: (context, input) => {
    const { options } = input;
    const ekSpkiSha256 = ekHashOption(options);
    const until = new Date(context.clock.now() + OPEN_MS).toISOString();
    // Null, not left out: what an earlier reset said must not stay in this one.
    const reset = { until, clock: flagOption(options, "clock") ? true : null, ekSpkiSha256: ekSpkiSha256 ?? null };
    return change(context, input, { spec: { reset }, said: (node) => `node ${node} may join anew until ${until}` });
  },
};

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
    const said = (node: string) => (revoked ? `node ${node} is revoked` : `node ${node} may join again`);
    return change(context, input, { spec: { revoked }, said });
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
    const said = (node: string) => (retired ? `node ${node} is retired` : `node ${node} may join again`);
    return change(context, input, { spec: { retired }, said });
  },
};

interface Change {
  /** A merge patch. */
  readonly spec: Readonly<Partial<Record<keyof NodeIdentitySpec, unknown>>>;
  readonly said: (node: string) => string;
}

async function change(
  context: CommandContext,
  { options, args }: CommandInput,
  { spec, said }: Change,
): Promise<number> {
  const form = outputForm(options);
  const name = identityName(args[0] ?? "", textOption(options, "cluster"));
  const client = await connectToCluster(context, options);
  try {
    const patch = { type: "merge", signal: context.stop } as const;
    const identity = await client.patch<NodeIdentity>(NODE_IDENTITIES, { name }, { spec }, patch);
    const words = `${said(identity.spec.nodeName)}\n`;
    context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(identity))}\n` : words);
    return 0;
  } finally {
    await client.close();
  }
}
