// `countersign identity enroll NODE`: before the first join an operator states that this node may join, and with which
// TPM. In a cluster without Machines it replaces the Machine. The TPM is claimed for the node at once: one key, one
// live identity.

import { EK_LABEL, type NodeIdentity } from "../../../api/countersign/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { parseNodeName } from "../../../node/index.ts";
import { createIdentity, findIdentity } from "../../../platform/identities/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { Command, OptionValues } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { CLUSTER_OPTION, EK_HASH_OPTION, ekHashOption } from "./arguments.ts";
import { describeIdentity, typedName } from "./describe.ts";
import { enrolledIdentity, requireFreeKey, requireFreeProviderId } from "./identities.ts";

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
      const there = await findIdentity(client, identity.spec, context.stop);
      if (there !== undefined) throw hasOne(there);
      await requireFreeKey(client, { name: undefined, ekLabel: identity.metadata.labels?.[EK_LABEL] }, context.stop);
      await requireFreeProviderId(client, identity.spec, context.stop);
      const made = await create(client, identity, context.stop);
      const said = `node ${made.spec.nodeName} may join${made.spec.tpm === undefined ? WITH_ANY_KEY : ""}\n`;
      context.terminal.out(form === "json" ? `${JSON.stringify(describeIdentity(made))}\n` : said);
      return 0;
    } finally {
      await client.close();
    }
  },
};

/** Enrolling without a key does not make the TPM trusted, which the operator must know. */
const WITH_ANY_KEY = "; with a TPM only where a JoinPolicy trusts its key, which --ek-hash would have said";

async function create(client: KubeClient, identity: NodeIdentity, signal: AbortSignal): Promise<NodeIdentity> {
  try {
    return await createIdentity(client, identity, signal);
  } catch (cause) {
    if (!isFault(cause, "already-exists")) throw cause;
    throw hasOne((await findIdentity(client, identity.spec, signal)) ?? identity, cause);
  }
}

function hasOne(there: NodeIdentity, cause?: unknown): Fault {
  const name = typedName(there);
  const todo =
    `look at it: countersign identity show ${name}; a new board: countersign identity reset ${name} --ek-hash …; ` +
    `to enrol it anew, without its pins: kubectl delete nodeidentity ${there.metadata.name}`;
  return new Fault("already-exists", `node ${there.spec.nodeName} has an identity already`, {
    cause,
    detail: { todo },
  });
}

function identityFor(name: string, options: OptionValues): NodeIdentity {
  const nodeName = parseNodeName(name);
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
