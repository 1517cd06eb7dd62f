// Which cluster is joined: the one that discovery proves, the one of a bootstrap kubeconfig, or the one of a join that
// was begun in this directory.

import type { KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { withinLimit } from "../../platform/signals/index.ts";
import {
  type CachedDiscovery,
  DISCOVERY_LIMIT_MS,
  type DiscoveredCluster,
  type DiscoveryMethod,
  discover,
  wayOf,
} from "../discovery/index.ts";
import { addressOf, type ClusterAddress, loadKnownCluster } from "./kubeconfigs.ts";
import type { JoinOptions } from "./options.ts";
import { joinPlaces } from "./places.ts";

export interface FoundCluster extends ClusterAddress {
  /** An identity that came with the cluster's document. */
  readonly user?: KubeconfigUser | undefined;
  /** What discovery found, for the cache that keeps the ways back to it. */
  readonly discovered?: CachedDiscovery | undefined;
}

export async function findCluster(options: JoinOptions): Promise<FoundCluster> {
  if (options.discovery !== undefined) return await discoverAloud(options, options.discovery);
  if (options.bootstrap?.kind === "kubeconfig") return await clusterOfKubeconfig(options.bootstrap.path, options);
  const places = joinPlaces(options.directory);
  const load = (path: string) => loadKnownCluster(path, options.env);
  const known = (await load(places.bootstrapPath)) ?? (await load(places.kubeconfigPath));
  if (known !== undefined) return known;
  throw new Fault(
    "bad-config",
    `no way to find the cluster, and no join was begun in ${options.directory}: give an address and --token-file, ` +
      "--cluster-info-file, --cluster-info-url or --bootstrap-kubeconfig",
  );
}

async function discoverAloud(options: JoinOptions, method: DiscoveryMethod): Promise<FoundCluster> {
  const { clock, progress } = options;
  const found = await discoverInTime(options, method);
  progress?.("trusted", found.server);
  const { server, caPem, documentCaPem, tlsServerName, user } = found;
  const nowMs = clock.now();
  const discovered = { cluster: found, way: wayOf(method), foundMs: nowMs, confirmedMs: nowMs };
  return { server, caPem, writtenCaPem: documentCaPem, tlsServerName, user, discovered };
}

/** Discovery ends its pauses in time by itself; a server that is silent is cut short here. */
async function discoverInTime(options: JoinOptions, method: DiscoveryMethod): Promise<DiscoveredCluster> {
  const { clock, signal, progress, env = {}, readStdin, limitMs = DISCOVERY_LIMIT_MS } = options;
  let why = "no server has answered";
  const onWaiting = (next: string) => {
    why = next;
    options.waiting?.(next);
  };
  const onDiscovered = (server: string) => progress?.("discovered", server);
  const limit = { clock, signal, limitMs, overdue: () => `the cluster was not found in time: ${why}` };
  return await withinLimit(limit, (stop) =>
    discover(method, { clock, signal: stop, env, readStdin, limitMs, onDiscovered, onWaiting }),
  );
}

async function clusterOfKubeconfig(path: string, { env }: JoinOptions): Promise<ClusterAddress> {
  return addressOf(await loadKubeconfigConnection(path, { env }));
}
