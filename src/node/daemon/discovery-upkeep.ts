// The daemon keeps the ways back to the cluster fresh while they still work (seed 004, "caching and update"): the cluster says where
// it goes and whom it trusts next, and whoever listened finds it when all endpoints have moved or the roots were rotated. What
// has changed goes into the cache, into the kubeconfigs that the join wrote, and to the managers.

import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { ClusterPlace } from "../certificates/index.ts";
import { type CachedDiscovery, createDiscoveryCache, type Refreshed, refreshDiscovery } from "../discovery/index.ts";
import { moveKubeconfig, type NewPlace } from "./kubeconfig-move.ts";
import type { DiscoveryPlaces } from "./options.ts";

/** A rotation of roots or addresses takes hours; a fleet of thousands asks a few times a second at this pace. */
const EVERY_MS = 600_000;
/** A fifth more or less, so that machines that started together do not ask together. */
const SPREAD = 0.2;
/** While no way leads to the cluster, and at most this often when somebody else could not reach it. */
const AGAIN_MS = 30_000;

export interface UpkeepOptions extends DiscoveryPlaces {
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
  /** Somebody could not reach or not trust the cluster: look for it sooner. */
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

/** Undefined where the join left no cache, or somebody removed it. */
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
    // After what is on disk, so that evidence is for the cluster that the next start means too; and although a kubeconfig could not
    // be written, because the managers need the cluster.
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
