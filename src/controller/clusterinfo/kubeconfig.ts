// The kubeconfig of cluster-info: one unnamed cluster, and what the operator says about where it is and whom to trust
// there. Pure. A kubeconfig that says the same already keeps its bytes: every signature and every pinned copy is over
// them.

import {
  type ClusterLocation,
  clusterLocationExtension,
  encodeKubeconfig,
  type KubeconfigCluster,
  parseKubeconfig,
  readClusterLocation,
} from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";

export interface WantedLocation {
  /** https URLs, the first is what every client reads; the others are for those that know the extension. */
  readonly servers: readonly [string, ...string[]];
  /** One bundle; during a rotation it holds the old roots and the new ones. */
  readonly caPem: string;
  readonly clusterId?: string | undefined;
}

export function kubeconfigFor(present: string | undefined, wanted: WantedLocation): string {
  const cluster = present === undefined ? undefined : clusterOf(present);
  const said = cluster === undefined ? undefined : locationOf(cluster);
  const isFirst = cluster?.server === wanted.servers[0];
  if (present !== undefined && said !== undefined && isFirst && saysTheSame(said, wanted)) return present;
  // A cluster that moves or rotates its roots stays the same cluster.
  const clusterId = wanted.clusterId ?? said?.clusterId;
  return encodeKubeconfig({
    clusters: [{ name: "", cluster: entryFor({ ...wanted, clusterId }) }],
    users: [],
    contexts: [],
    currentContext: "",
  });
}

/** Undefined for whatever is no kubeconfig with one unnamed cluster: it is replaced. */
function clusterOf(text: string): KubeconfigCluster | undefined {
  try {
    const { clusters } = parseKubeconfig(text);
    return clusters.length === 1 && clusters[0]?.name === "" ? clusters[0].cluster : undefined;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function locationOf(cluster: KubeconfigCluster): ClusterLocation | undefined {
  try {
    return readClusterLocation(cluster);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function saysTheSame(said: ClusterLocation, { servers, caPem, clusterId }: WantedLocation): boolean {
  return (
    isSameList(said.servers, servers) &&
    isSameList(said.rootsPem, [caPem]) &&
    (clusterId === undefined || said.clusterId === clusterId)
  );
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function entryFor({ servers, caPem, clusterId }: WantedLocation): KubeconfigCluster {
  const [server] = servers;
  const isPlain = servers.length === 1 && clusterId === undefined;
  return {
    "certificate-authority-data": encodeBase64(encodeUtf8(caPem)),
    ...(isPlain ? {} : { extensions: [clusterLocationExtension({ servers, clusterId })] }),
    server,
  };
}
