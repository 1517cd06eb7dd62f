// `countersign discovery refresh --kubeconfig FILE`: the file that kubectl reads follows the cluster. Its entries are
// known by the addresses from before and now, or by the cluster's id; entries of other clusters stay.

import { realpath, stat } from "node:fs/promises";
import { type Kubeconfig, moveClusters, readClusterLocation } from "../../../api/kubeconfig/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { type DiscoveredCluster, parseEndpoint } from "../../../node/index.ts";
import { atomicWriteFile, loadText, nodeFileSystem, removeIfPresent } from "../../../platform/files/index.ts";

interface FollowedKubeconfig {
  readonly path: string;
  readonly hasChanged: boolean;
}

interface Followed {
  readonly before: DiscoveredCluster | undefined;
  readonly now: DiscoveredCluster;
}

/** Fault `not-found` when the file names no such cluster. */
export async function followKubeconfig(given: string, { before, now }: Followed): Promise<FollowedKubeconfig> {
  // A link stays a link, and the file it leads to keeps its mode.
  const path = await realpath(given).catch(() => given);
  return await locked(path, async () => {
    const text = await loadText(path);
    const known = new Set([before, now].flatMap((each) => (each === undefined ? [] : [each.server, ...each.servers])));
    const { server, documentCaPem: caPem, tlsServerName, clusterId } = now;
    const isMeant = (entry: Kubeconfig["clusters"][number]) => isOf(entry, known, clusterId);
    const moved = moveClusters(text, { server, caPem, tlsServerName, isMeant });
    if (moved.meant === 0) throw noEntry(given, now);
    if (moved.hasChanged) await atomicWriteFile(path, moved.text, { mode: (await stat(path)).mode & 0o777 });
    return { path: given, hasChanged: moved.hasChanged };
  });
}

/** Another cluster may have taken an old address since; one that has an id is known by it alone. */
function isOf(
  { cluster }: Kubeconfig["clusters"][number],
  known: ReadonlySet<string>,
  clusterId: string | undefined,
): boolean {
  try {
    const { clusterId: named } = readClusterLocation(cluster);
    if (named !== undefined && clusterId !== undefined) return named === clusterId;
    return [...known].some((server) => parseEndpoint(server) === parseEndpoint(cluster.server));
  } catch (error) {
    if (isFault(error)) return false; // an unreadable entry is not ours
    throw error;
  }
}

function noEntry(path: string, { server }: DiscoveredCluster): Fault {
  return new Fault("not-found", `${path} has no entry for the cluster at ${server}, so nothing in it was changed`, {
    detail: { todo: "countersign discovery kubeconfig writes a kubeconfig for it" },
  });
}

/** As kubectl: the writer holds `<file>.lock`. */
async function locked<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  try {
    await nodeFileSystem.create(lock, Buffer.alloc(0), 0o600);
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
    throw new Fault(
      "conflict",
      `${path} is being written by another program, such as kubectl config (${lock} is there)`,
    );
  }
  try {
    return await act();
  } finally {
    await removeIfPresent(lock, nodeFileSystem);
  }
}
