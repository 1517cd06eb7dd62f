// `countersign identity enroll NODE`: the operator's word, given before the first join: this node may come, and has this TPM. In a
// cluster without Machines it takes the Machine's place. The TPM is claimed for the node at once: one key, one live identity.

import { isNodeName } from "../../../api/certificates/index.ts";
import { EK_LABEL, NODE_IDENTITIES, type NodeIdentity } from "../../../api/countersign/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Command, OptionValues } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, describeIdentity } from "./describe.ts";
import { EK_HASH_OPTION, ekHashOption } from "./ek-hash.ts";
import { enrolledIdentity } from "./enrolled.ts";

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
      await requireFreeKey(client, identity, context.stop);
      const made = await create(client, identity, context.stop);
      const said = `node ${made.spec.nodeName} may join${made.spec.tpm === undefined ? WITH_ANY_KEY : ""}\n`;
      context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(made))}\n` : said);
      return 0;
    } finally {
      await client.close();
    }
  },
};

/** Whoever enrols without a key must know that its TPM is not trusted by that. */
const WITH_ANY_KEY = "; with a TPM only where a JoinPolicy trusts its key, which --ek-hash would have said";

async function create(client: KubeClient, identity: NodeIdentity, signal: AbortSignal): Promise<NodeIdentity> {
  try {
    return await client.create<NodeIdentity>(NODE_IDENTITIES, identity, { signal });
  } catch (cause) {
    if (!isFault(cause, "already-exists")) throw cause;
    const { nodeName } = identity.spec;
    const todo =
      `look at it: countersign identity show ${nodeName}; a new board: countersign identity reset ${nodeName}; ` +
      `to enrol it anew, without its pins: kubectl delete nodeidentity ${identity.metadata.name}`;
    throw new Fault("already-exists", `node ${nodeName} has an identity already`, { cause, detail: { todo } });
  }
}

/** The node could not join, and the other no more renew: better said now. */
async function requireFreeKey(client: KubeClient, { metadata }: NodeIdentity, signal: AbortSignal): Promise<void> {
  const label = metadata.labels?.[EK_LABEL];
  if (label === undefined) return;
  const labelSelector = `${EK_LABEL}=${label}`;
  const { items } = await client.list<NodeIdentity>(NODE_IDENTITIES, { labelSelector, signal });
  const holder = items.find(({ spec, status }) => spec.retired !== true && status?.phase !== "Retired");
  if (holder === undefined || holder.metadata.name === metadata.name) return;
  const { nodeName } = holder.spec;
  throw new Fault("conflict", `the TPM is that of node ${nodeName}; retire that one first`, { detail: { nodeName } });
}

function identityFor(nodeName: string, options: OptionValues): NodeIdentity {
  if (!isNodeName(nodeName)) throw new Fault("bad-config", `${JSON.stringify(nodeName)} cannot be the name of a node`);
  const clusterName = textOption(options, "cluster");
  const providerId = textOption(options, "providerId");
  const spkiSha256 = ekHashOption(options);
  return enrolledIdentity({
    nodeName,
    ...(clusterName === undefined ? {} : { clusterName }),
    ...(providerId === undefined ? {} : { providerId }),
    ...(spkiSha256 === undefined ? {} : { tpm: { ek: { spkiSha256 } } }),
  });
}
