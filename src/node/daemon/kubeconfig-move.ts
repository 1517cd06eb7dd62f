// The kubeconfigs that a join wrote, led to where the cluster is now. Only the entry of the cluster in use changes; who the node is
// stays, and so do how this machine gets out and what somebody else has put beside it.

import { moveClusters, parseKubeconfig } from "../../api/kubeconfig/index.ts";
import { atomicWriteFile, loadTextIfPresent } from "../../platform/files/index.ts";
import type { DiscoveredCluster } from "../discovery/index.ts";

export type NewPlace = Pick<DiscoveredCluster, "server" | "documentCaPem" | "tlsServerName">;

/** Whether anything had to be changed. A file that is not there is left alone. */
export async function moveKubeconfig(path: string, place: NewPlace): Promise<boolean> {
  const text = await loadTextIfPresent(path);
  if (text === undefined) return false;
  const { contexts, currentContext } = parseKubeconfig(text);
  const used = contexts.find(({ name }) => name === currentContext)?.context.cluster;
  const { server, documentCaPem: caPem, tlsServerName } = place;
  const moved = moveClusters(text, { server, caPem, tlsServerName, isMeant: ({ name }) => name === used });
  if (moved.hasChanged) await atomicWriteFile(path, moved.text, { mode: 0o600 });
  return moved.hasChanged;
}
