// How a command reaches a cluster: --kubeconfig, else $KUBECONFIG, else the user's own file, as kubectl does.

import { delimiter, join } from "node:path";
import { Fault } from "../kernel/outcome/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../platform/kube/index.ts";
import type { CommandContext, CommandOption, OptionValues } from "./command.ts";
import { textOption } from "./options.ts";

export const KUBECONFIG_OPTION: CommandOption = {
  flags: "--kubeconfig <file>",
  description: "how to reach the cluster (default: $KUBECONFIG, then ~/.kube/config)",
};

export async function connectToCluster(context: CommandContext, options: OptionValues): Promise<KubeClient> {
  return await loadKubeconfigClient(textOption(options, "kubeconfig") ?? usualKubeconfig(context.env));
}

/** An empty variable is as good as none. Fault `unsupported` for several files, which kubectl would merge. */
function usualKubeconfig(env: CommandContext["env"]): string {
  const [path, ...others] = (env["KUBECONFIG"] ?? "").split(delimiter).filter((part) => part !== "");
  if (others.length > 0) {
    throw new Fault("unsupported", "KUBECONFIG names several files; name one, or give --kubeconfig");
  }
  return path ?? join(env["HOME"] ?? "", ".kube", "config");
}
