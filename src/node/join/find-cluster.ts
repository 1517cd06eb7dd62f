// Which cluster is joined: the one that discovery proves, the one of a bootstrap kubeconfig, or the one of a join that was
// begun in this directory.

import type { KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { type CachedDiscovery, type DiscoveryMethod, discover, wayOf } from "../discovery/index.ts";
import { loadKnownCluster } from "./known-cluster.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";
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
  if (options.bootstrap?.kind === "kubeconfig") return await clusterOfKubeconfig(options.bootstrap.path);
  const places = joinPlaces(options.directory);
  const known = (await loadKnownCluster(places.bootstrapPath)) ?? (await loadKnownCluster(places.kubeconfigPath));
  if (known !== undefined) return known;
  throw new Fault(
    "bad-config",
    `no way to find the cluster, and no join was begun in ${options.directory}: give an address and --token-file, ` +
      "--cluster-info-file, --cluster-info-url or --bootstrap-kubeconfig",
  );
}

async function discoverAloud(options: JoinOptions, method: DiscoveryMethod): Promise<FoundCluster> {
  const { clock, signal, progress, waiting, env = {}, readStdin } = options;
  const found = await discover(method, {
    clock,
    signal,
    env,
    readStdin,
    limitMs: options.discoveryLimitMs,
    onDiscovered: (server) => progress?.("discovered", server),
    onWaiting: waiting,
  });
  progress?.("trusted", found.server);
  const { server, caPem, documentCaPem, tlsServerName, user } = found;
  const nowMs = clock.now();
  const discovered = { cluster: found, way: wayOf(method), foundMs: nowMs, confirmedMs: nowMs };
  return { server, caPem, writtenCaPem: documentCaPem, tlsServerName, user, discovered };
}

async function clusterOfKubeconfig(path: string): Promise<ClusterAddress> {
  const { server, caPem, tlsServerName } = await loadKubeconfigConnection(path);
  if (caPem === undefined) throw new Fault("bad-config", `${path} names no CA for the cluster`);
  return { server, caPem, tlsServerName };
}
