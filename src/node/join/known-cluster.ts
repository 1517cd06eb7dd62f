// The cluster that a directory knows from a kubeconfig that a join wrote there.

import { parseKubeconfig, selectContext } from "../../api/kubeconfig/index.ts";
import { parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { loadTextIfPresent } from "../../platform/files/index.ts";
import { type DiscoveryMethod, parseEndpoint } from "../discovery/index.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";

/** Undefined also for a file that is none of ours any more; a join writes it anew. */
export async function loadKnownCluster(kubeconfigPath: string): Promise<ClusterAddress | undefined> {
  const text = await loadTextIfPresent(kubeconfigPath);
  if (text === undefined) return undefined;
  try {
    const { cluster } = selectContext(parseKubeconfig(text));
    const caPem = parseUtf8(parseBase64(cluster["certificate-authority-data"] ?? ""));
    const { server, "tls-server-name": tlsServerName, "proxy-url": proxyUrl } = cluster;
    if (caPem === "" || parseEndpoint(server) === "") return undefined;
    return {
      server,
      caPem,
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    };
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** It counts only when the same address is asked for again: another may be another cluster, and discovery will tell. */
export function isSameCluster({ server }: ClusterAddress, method: DiscoveryMethod | undefined): boolean {
  if (method === undefined) return true;
  return method.kind === "token" && method.addresses.includes(parseEndpoint(server));
}
