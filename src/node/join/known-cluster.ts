// The cluster that this directory joined before, from the kubeconfig that the join wrote. It counts only when the same
// address is asked for again: another address may be another cluster, and discovery will tell.

import { readFile } from "node:fs/promises";
import { parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { parseEndpoint } from "../discovery/index.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";

export async function loadKnownCluster(kubeconfigPath: string, endpoint: string): Promise<ClusterAddress | undefined> {
  const wanted = parseEndpoint(endpoint);
  const text = await readIfPresent(kubeconfigPath);
  if (text === undefined) return undefined;
  try {
    const { cluster } = selectContext(parseKubeconfig(text));
    const caPem = parseUtf8(parseBase64(cluster["certificate-authority-data"] ?? ""));
    const isSame = parseEndpoint(cluster.server) === wanted;
    return isSame && caPem !== "" ? { server: cluster.server, caPem } : undefined;
  } catch (error) {
    if (isFault(error)) return undefined; // not a file of ours any more; the join writes it anew
    throw error;
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}
