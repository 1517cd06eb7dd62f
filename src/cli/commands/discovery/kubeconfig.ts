// `countersign discovery kubeconfig [ADDRESS]`: what was found as a kubeconfig for kubectl, or as the document that is
// copied to other machines.

import { resolve } from "node:path";
import type { KubeconfigUser } from "../../../api/kubeconfig/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { encodeClusterInfo, encodeClusterKubeconfig } from "../../../node/index.ts";
import { atomicWriteFile, nodeFileSystem } from "../../../platform/files/index.ts";
import type { Command, OptionValues } from "../../command.ts";
import { ADDRESS_ARGUMENT } from "../../discovery-options.ts";
import { flagOption, requiredText, textOption } from "../../options.ts";
import { discoverOrLoad, SOURCE_OPTIONS } from "./source.ts";

export const discoveryKubeconfig: Command = {
  arguments: [ADDRESS_ARGUMENT],
  options: [
    ...SOURCE_OPTIONS,
    { flags: "--file <file>", description: "where it goes (default: standard output); an existing file is kept" },
    { flags: "--force", description: "replace an existing file" },
    { flags: "--name <name>", description: "how cluster and context are called", default: "kubernetes" },
    { flags: "--client-certificate <file>", description: "the identity to use with it" },
    { flags: "--client-key <file>", description: "its key" },
    { flags: "--cluster-info", description: "one unnamed cluster and nothing else, to be copied around" },
  ],
  examples: [
    "countersign discovery kubeconfig --token-file token --file cluster.kubeconfig 10.0.0.1",
    "countersign discovery kubeconfig --cluster-info > my-cluster.yaml",
  ],
  run: async (context, input) => {
    const { options } = input;
    const user = userOf(options);
    const { cluster } = await discoverOrLoad(context, input);
    const text = flagOption(options, "clusterInfo")
      ? encodeClusterInfo(cluster)
      : encodeClusterKubeconfig(cluster, { name: requiredText(options, "name"), user: user ?? cluster.user });
    const path = textOption(options, "file");
    if (path === undefined) context.terminal.out(text);
    else await save(path, text, flagOption(options, "force"));
    return 0;
  },
};

function userOf(options: OptionValues): KubeconfigUser | undefined {
  const certificate = textOption(options, "clientCertificate");
  const key = textOption(options, "clientKey");
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new Fault("bad-config", "--client-certificate and --client-key belong together");
  }
  if (flagOption(options, "clusterInfo")) {
    throw new Fault("bad-config", "--cluster-info is copied around and carries no identity");
  }
  return { "client-certificate": resolve(certificate), "client-key": resolve(key) };
}

/** A mistyped path must not destroy a kubeconfig with other clusters. */
async function save(path: string, text: string, force: boolean): Promise<void> {
  if (force) await atomicWriteFile(path, text, { mode: 0o600 });
  else await nodeFileSystem.create(path, Buffer.from(text), 0o600);
}
