// `countersign identity list`: which nodes were attested, by what, and how well their keys are known.

import { NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import type { Command } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { table } from "../../terminal/index.ts";
import { describeIdentity, type IdentityDescription } from "./describe.ts";

export const identityList: Command = {
  options: [KUBECONFIG_OPTION, OUTPUT_OPTION],
  run: async (context, { options }) => {
    const form = outputForm(options);
    const client = await connectToCluster(context, options);
    try {
      const { items } = await client.list<NodeIdentity>(NODE_IDENTITIES, { signal: context.stop });
      const shown = items.map(describeIdentity).sort((one, other) => (one.node < other.node ? -1 : 1));
      context.terminal.out(form === "json" ? `${JSON.stringify(shown)}\n` : table(HEADINGS, shown.map(cells)));
      return 0;
    } finally {
      await client.close();
    }
  },
};

const HEADINGS = ["NODE", "PHASE", "PROVIDER", "TRUST", "ATTESTED", "KEY", "MACHINE"];

function cells({ node, phase, provider, trust, attestedAt, ek, machine }: IdentityDescription): readonly string[] {
  return [node, phase, provider, trust, attestedAt, ek, machine].map((cell) => cell ?? "<none>");
}
