// The daemon keeps the ways back to the cluster fresh while they still work ("Client caching and update" of the super
// simple discovery API): the cluster publishes its next addresses and roots, and a node that has read them finds the
// cluster after all endpoints have moved or the roots were rotated. Changes go into the cache, into the kubeconfigs
// that the join wrote, and to the managers.

import { moveClusters, parseKubeconfig } from "../../api/kubeconfig/index.ts";
import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { atomicWriteFile, loadTextIfPresent } from "../../platform/files/index.ts";
import type { ClusterPlace } from "../certificates/index.ts";
import {
  type CachedDiscovery,
  createDiscoveryCache,
  type DiscoveredCluster,
  type Refreshed,
  refreshDiscovery,
} from "../discovery/index.ts";
import type { DiscoveryPlaces } from "./options.ts";

/** A rotation of roots or addresses takes hours; a fleet of thousands asks a few times a second at this pace. */
const EVERY_MS = 600_000;
/** A fifth more or less, so that machines that started together do not ask together. */
const SPREAD = 0.2;
/** Pause while no way leads to the cluster, and between two looks that a failure elsewhere caused. */
const AGAIN_MS = 30_000;

interface UpkeepOptions extends DiscoveryPlaces {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Where the managers go now. */
  readonly place: () => ClusterPlace;
  readonly move: (to: ClusterPlace) => void;
  readonly onMoved: (words: string) => void;
  readonly onTrouble: (fault: Fault) => void;
}

export interface DiscoveryUpkeep {
  run(signal: AbortSignal): Promise<void>;
  /** A caller could not reach or not trust the cluster: look for it sooner. */
  nudge(): void;
}

export function createDiscoveryUpkeep(options: UpkeepOptions): DiscoveryUpkeep {
  const { clock, random } = options;
  let wake = new AbortController();
  const pause = async (ms: number, signal: AbortSignal) => {
    try {
      await clock.sleep(ms, AbortSignal.any([signal, wake.signal]));
    } catch (error) {
      if (!isFault(error, "aborted") || signal.aborted) throw error;
    }
  };
  return {
    nudge: () => wake.abort(),
    run: async (signal) => {
      try {
        for (;;) {
          const isFound = await refreshOnce(options, signal);
          await clock.sleep(AGAIN_MS, signal);
          if (isFound) await pause(EVERY_MS * (1 + SPREAD * (2 * random() - 1)) - AGAIN_MS, signal);
          wake = new AbortController();
        }
      } catch (error) {
        if (!isFault(error) || !signal.aborted) throw error; // told to stop
      }
    },
  };
}

async function refreshOnce(options: UpkeepOptions, signal: AbortSignal): Promise<boolean> {
  try {
    const found = await refreshCache(options, signal);
    if (found !== undefined) await follow(options, found);
    return true;
  } catch (error) {
    if (!isFault(error) || signal.aborted) throw error;
    options.onTrouble(error);
    return false;
  }
}

/** Undefined where the join left no cache, or it was removed. */
async function refreshCache(
  { clock, cachePath, env }: UpkeepOptions,
  signal: AbortSignal,
): Promise<Refreshed | undefined> {
  const cache = createDiscoveryCache(cachePath);
  return await cache.locked(
    async () => {
      const cached = await cache.load();
      if (cached === undefined) return undefined;
      const found = await refreshDiscovery(cached, { clock, env, signal });
      await cache.save(found);
      return found;
    },
    { clock, signal },
  );
}

async function follow(options: UpkeepOptions, { cluster }: CachedDiscovery): Promise<void> {
  const { server, caPem, documentCaPem, tlsServerName } = cluster;
  const now = options.place();
  const isElsewhere = now.server !== server || now.tlsServerName !== tlsServerName;
  try {
    if (!(await moveKubeconfigs(options, cluster))) return;
    const what = isElsewhere ? `the cluster is at ${server} now` : "the cluster has other roots now";
    options.onMoved(`${what}; the kubeconfigs say so, and a kubelet that runs reads them at its next start`);
  } finally {
    // After the files, so that evidence names the cluster that the next start finds there; and also when a kubeconfig
    // could not be written, because the managers need the cluster.
    if (isElsewhere || now.caPem.trim() !== caPem.trim())
      options.move({ server, caPem, writtenCaPem: documentCaPem, tlsServerName });
  }
}

/** Whether any had to be changed. */
async function moveKubeconfigs({ kubeconfigs }: UpkeepOptions, cluster: NewPlace): Promise<boolean> {
  let hasWritten = false;
  for (const path of kubeconfigs) hasWritten = (await moveKubeconfig(path, cluster)) || hasWritten;
  return hasWritten;
}

type NewPlace = Pick<DiscoveredCluster, "server" | "documentCaPem" | "tlsServerName">;

/**
 * Points a kubeconfig that a join wrote at the cluster's present place. Only the entry of the cluster in use changes:
 * user, proxy and foreign entries stay. Answers whether anything changed; a missing file is left alone.
 */
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
