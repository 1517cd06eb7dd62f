// `countersign identity enroll NODE`: the operator's word, given before the first join: this node may come, and has this TPM. In a
// cluster without Machines it takes the Machine's place.

import { isNodeName } from "../../../api/certificates/index.ts";
import {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
} from "../../../api/countersign/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command, OptionValues } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, describeIdentity } from "./describe.ts";
import { EK_HASH_OPTION, ekHashOption } from "./ek-hash.ts";

export const identityEnroll: Command = {
  arguments: [{ name: "<node>", description: "the name that the node will have" }],
  options: [
    KUBECONFIG_OPTION,
    EK_HASH_OPTION,
    { flags: "--provider-id <id>", description: "the provider ID that the machine will show" },
    CLUSTER_OPTION,
    OUTPUT_OPTION,
  ],
  examples: ["countersign identity enroll worker-7 --ek-hash 5c1f…"],
  run: async (context, { options, args }) => {
    const form = outputForm(options);
    const identity = identityFor(args[0] ?? "", options);
    const client = await connectToCluster(context, options);
    try {
      const made = await client.create<NodeIdentity>(NODE_IDENTITIES, identity, { signal: context.stop });
      const said = `node ${made.spec.nodeName} may join\n`;
      context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(made))}\n` : said);
      return 0;
    } finally {
      await client.close();
    }
  },
};

function identityFor(nodeName: string, options: OptionValues): NodeIdentity {
  if (!isNodeName(nodeName)) throw new Fault("bad-config", `${JSON.stringify(nodeName)} cannot be the name of a node`);
  const clusterName = textOption(options, "cluster");
  const providerId = textOption(options, "providerId");
  const spkiSha256 = ekHashOption(options);
  return {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: NODE_IDENTITIES.kind,
    metadata: {
      name: identityName(nodeName, clusterName),
      ...(clusterName === undefined ? {} : { labels: { [CLUSTER_LABEL]: clusterName } }),
    },
    spec: {
      nodeName,
      ...(clusterName === undefined ? {} : { clusterName }),
      ...(providerId === undefined ? {} : { providerId }),
      ...(spkiSha256 === undefined ? {} : { tpm: { ek: { spkiSha256 } } }),
    },
  };
}
