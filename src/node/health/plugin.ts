// The program that a kubeconfig of this node calls for its credential, and whether it can be found.

import { dirname } from "node:path";
import { type ExecUser, parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { loadText } from "../../platform/files/index.ts";
import { findCommand } from "../../platform/kube/index.ts";
import type { PluginFact } from "./facts.ts";
import type { HealthOptions } from "./options.ts";

/** Of the node's own kubeconfig, where that calls one; else of the one for a kubelet that would rather call than read. */
export async function findPlugin({ places, env }: HealthOptions): Promise<PluginFact | undefined> {
  const { kubeconfigPath, execKubeconfigPath } = places;
  for (const calledBy of [kubeconfigPath, execKubeconfigPath]) {
    const user = await execUserOf(calledBy);
    if (user === undefined) continue;
    const path = await findCommand(user.command, { directory: dirname(calledBy), env });
    return { command: user.command, path, calledBy, isNeeded: calledBy === kubeconfigPath };
  }
  return undefined;
}

async function execUserOf(path: string): Promise<ExecUser | undefined> {
  try {
    return selectContext(parseKubeconfig(await loadText(path))).user?.exec;
  } catch (error) {
    if (isFault(error)) return undefined; // not there, not for us, or none: other checks tell
    throw error;
  }
}
