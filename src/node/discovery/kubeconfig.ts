// A found cluster as a kubeconfig for kubectl, and as the document for other machines (one unnamed cluster, nothing
// else). Both carry the whole location in the extension, and in the plain fields what every client understands: the
// address that answered, and all roots. Pure.

import {
  clusterLocationExtension,
  encodeKubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
} from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import type { DiscoveredCluster } from "./cluster.ts";

interface KubeconfigNames {
  /** Of the cluster and the context. */
  readonly name: string;
  readonly user?: KubeconfigUser | undefined;
}

export function encodeClusterKubeconfig(cluster: DiscoveredCluster, { name, user }: KubeconfigNames): string {
  const userName = user === undefined ? "" : `${name}-user`;
  return encodeKubeconfig({
    clusters: [{ name, cluster: entryOf(cluster) }],
    users: user === undefined ? [] : [{ name: userName, user }],
    contexts: [{ name, context: { cluster: name, user: userName } }],
    currentContext: name,
  });
}

export function encodeClusterInfo(cluster: DiscoveredCluster): string {
  const clusters = [{ name: "", cluster: entryOf(cluster) }];
  return encodeKubeconfig({ clusters, users: [], contexts: [], currentContext: "" });
}

function entryOf(cluster: DiscoveredCluster): KubeconfigCluster {
  const { server, servers, documentCaPem, usesSystemRoots, clusterId, tlsServerName } = cluster;
  const hasRoots = documentCaPem !== "";
  const needsExtension = servers.length > 1 || clusterId !== undefined || (usesSystemRoots && hasRoots);
  const location = { clusterId, servers, trustSystemRoots: usesSystemRoots && hasRoots };
  return {
    ...(hasRoots ? { "certificate-authority-data": encodeBase64(encodeUtf8(documentCaPem)) } : {}),
    ...(needsExtension ? { extensions: [clusterLocationExtension(location)] } : {}),
    server,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
  };
}
