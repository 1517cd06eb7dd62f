// `countersign identity show NODE`: everything that is known about one node, its exchanges and certificates included.

import type { NodeIdentity } from "../../../api/countersign/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { CLUSTER_OPTION, NODE_ARGUMENT } from "./arguments.ts";
import { describeIdentity } from "./describe.ts";
import { requireIdentity } from "./identities.ts";

export const identityShow: Command = {
  arguments: [NODE_ARGUMENT],
  options: [KUBECONFIG_OPTION, CLUSTER_OPTION, OUTPUT_OPTION],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const owner = { nodeName: args[0] ?? "", clusterName: textOption(options, "cluster") };
    const client = await connectToCluster(context, options);
    try {
      const identity = await requireIdentity(client, owner, context.stop);
      context.terminal.out(form === "json" ? `${JSON.stringify(identity)}\n` : page(identity));
      return 0;
    } finally {
      await client.close();
    }
  },
};

function page(identity: NodeIdentity): string {
  const facts = Object.entries(describeIdentity(identity)).map(
    ([word, value]) => `${word.padEnd(14)}${value ?? "<none>"}`,
  );
  const exchanges = (identity.status?.exchanges ?? []).map(
    ({ at, state, signerName, proofUid }) => `  ${at}  ${state.padEnd(8)}  ${signerName}  ${proofUid}`,
  );
  const certificates = (identity.status?.certificates ?? []).map(
    ({ sha256, purpose, notAfter, superseded, revoked }) =>
      `  ${sha256.slice(0, 16)}  ${purpose.padEnd(7)}  until ${notAfter}${superseded === true ? "  superseded" : ""}${revoked === true ? "  revoked" : ""}`,
  );
  const lines = [...facts, "exchanges", ...orNone(exchanges), "certificates", ...orNone(certificates)];
  return lines.map((line) => `${plainText(line)}\n`).join("");
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ["  <none>"] : lines;
}
