// How a command reaches a cluster: --kubeconfig, else $KUBECONFIG, else the user's own file, as kubectl does.

import { join } from "node:path";
import { type KubeClient, loadKubeconfigClient } from "../platform/kube/index.ts";
import type { CommandContext, CommandOption, OptionValues } from "./command.ts";
import { textOption } from "./options.ts";

export const KUBECONFIG_OPTION: CommandOption = {
  flags: "--kubeconfig <file>",
  description: "how to reach the cluster (default: $KUBECONFIG, then ~/.kube/config)",
};

export async function connectToCluster(context: CommandContext, options: OptionValues): Promise<KubeClient> {
  const home = context.env["HOME"] ?? "";
  const path = textOption(options, "kubeconfig") ?? context.env["KUBECONFIG"] ?? join(home, ".kube", "config");
  return await loadKubeconfigClient(path);
}
