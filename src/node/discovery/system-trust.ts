// A document that leaves the choice of roots to the machine gets this machine's.

import { loadSystemRoots } from "../../platform/http/index.ts";
import type { DiscoveredCluster } from "./cluster.ts";
import type { DiscoverDeps } from "./deps.ts";

export async function withSystemRoots(
  cluster: DiscoveredCluster,
  env: DiscoverDeps["env"],
): Promise<DiscoveredCluster> {
  if (!cluster.usesSystemRoots) return cluster;
  const caPem = `${cluster.documentCaPem}${await loadSystemRoots(env)}`;
  return { ...cluster, caPem, anchorsPem: caPem };
}
