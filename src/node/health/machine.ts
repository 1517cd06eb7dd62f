// The checks on the machine's disk: permissions of the node's directories and of the files there that hold a key or a
// token, and whether the credential plugin can be found.

import { lstat, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ExecUser, parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { loadText } from "../../platform/files/index.ts";
import { findCommand } from "../../platform/kube/index.ts";
import type { HealthOptions } from "./ask.ts";
import type { PluginFact } from "./facts.ts";

const SECRET_FILE = /(\.(pem|key|tmp|kubeconfig)|^kubeconfig)$/;

/**
 * Undefined when the first directory does not exist; else a sentence for each file that is too open or another user's.
 */
export async function readPermissions(directories: readonly string[]): Promise<readonly string[] | undefined> {
  const found = await Promise.all(directories.map(readFolder));
  return found[0] === undefined ? undefined : [...new Set(found.flatMap((problems) => problems ?? []))];
}

async function readFolder(folder: string): Promise<readonly string[] | undefined> {
  try {
    const own = await problemsOf(folder, 0o022);
    const inside = await Promise.all((await secretsIn(folder)).map((path) => problemsOf(path, 0o077)));
    return [...own, ...inside.flat()];
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EACCES") return [`${folder} cannot be read by this user`];
    throw cause;
  }
}

async function problemsOf(path: string, forbidden: number): Promise<readonly string[]> {
  const { mode, uid } = await stat(path);
  const own = process.getuid?.();
  const isForeign = own !== undefined && uid !== own && uid !== 0;
  return [
    ...((mode & forbidden) === 0 ? [] : [`${path} has mode ${(mode & 0o777).toString(8).padStart(4, "0")}`]),
    ...(isForeign ? [`${path} belongs to user ${uid}`] : []),
  ];
}

async function secretsIn(folder: string): Promise<readonly string[]> {
  const paths = (await readdir(folder)).filter((name) => SECRET_FILE.test(name)).map((name) => join(folder, name));
  const stats = await Promise.all(paths.map((path) => lstat(path)));
  return paths.filter((_, index) => stats[index]?.isFile() === true);
}

/**
 * The plugin of the node's own kubeconfig, if it calls one; else of the kubeconfig for a kubelet that calls the plugin.
 */
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
    if (isFault(error)) return undefined; // missing, not readable, or no kubeconfig: other checks report it
    throw error;
  }
}
