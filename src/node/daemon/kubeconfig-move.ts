// The kubeconfigs that a join wrote, led to where the cluster is now. Only the entry of the cluster in use changes; who the node is
// stays, and so does what somebody else has put beside it.

import { encodeKubeconfig, type KubeconfigCluster, parseKubeconfig } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { atomicWriteFile, loadTextIfPresent } from "../../platform/files/index.ts";
import type { DiscoveredCluster } from "../discovery/index.ts";

export type NewPlace = Pick<DiscoveredCluster, "server" | "documentCaPem" | "tlsServerName">;

/** Whether anything had to be changed. A file that is not there is left alone. */
export async function moveKubeconfig(path: string, place: NewPlace): Promise<boolean> {
  const text = await loadTextIfPresent(path);
  if (text === undefined) return false;
  const config = parseKubeconfig(text);
  const used = config.contexts.find(({ name }) => name === config.currentContext)?.context.cluster;
  const clusters = config.clusters.map((entry) =>
    entry.name === used ? { ...entry, cluster: { ...entryOf(place), ...proxyOf(entry.cluster) } } : entry,
  );
  const moved = encodeKubeconfig({ ...config, clusters });
  if (moved === encodeKubeconfig(config)) return false;
  await atomicWriteFile(path, moved, { mode: 0o600 });
  return true;
}

/** How this machine gets out is the machine's matter, wherever the cluster goes. */
function proxyOf({ "proxy-url": proxyUrl }: KubeconfigCluster) {
  return proxyUrl === undefined ? {} : { "proxy-url": proxyUrl };
}

function entryOf({ server, documentCaPem, tlsServerName }: NewPlace) {
  return {
    ...(documentCaPem === "" ? {} : { "certificate-authority-data": encodeBase64(encodeUtf8(documentCaPem)) }),
    server,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
  };
}
