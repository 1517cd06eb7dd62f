// The kubeconfigs of a joining and a joined node. File form: what a kubelet writes for itself, both paths at the
// store's current pair, so a renewal needs no new file. Exec form: for a kubelet with `rotateCertificates: false` and
// no bootstrap kubeconfig, which then calls the plugin whenever it needs a credential. Bootstrap form: as kubeadm's,
// with a token.

import { encodeKubeconfig, type KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { loadTextIfPresent } from "../../platform/files/index.ts";
import { type LoadedConnection, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { type DiscoveryMethod, parseEndpoint } from "../discovery/index.ts";

export interface ClusterAddress {
  readonly server: string;
  /** Every root that vouches for the server. */
  readonly caPem: string;
  /** The roots to write down, where those of the machine are among the others; empty: the machine's alone. */
  readonly writtenCaPem?: string | undefined;
  readonly tlsServerName?: string | undefined;
  /** Of the kubeconfig that the cluster was taken from. */
  readonly proxyUrl?: string | undefined;
}

interface ExecCall {
  readonly command: string;
  readonly args: readonly string[];
}

export function fileKubeconfig(cluster: ClusterAddress, currentPath: string): string {
  return kubeconfigOf(cluster, { "client-certificate": currentPath, "client-key": currentPath });
}

export function execKubeconfig(cluster: ClusterAddress, call: ExecCall): string {
  return kubeconfigOf(cluster, {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: call.command,
      args: call.args,
      interactiveMode: "Never",
      // The plugin learns from it which server and CA to ask when it renews.
      provideClusterInfo: true,
    },
  });
}

export function bootstrapKubeconfig(cluster: ClusterAddress, user: KubeconfigUser): string {
  return kubeconfigOf(cluster, user);
}

/** The names are those that a kubelet gives. */
function kubeconfigOf(address: ClusterAddress, user: KubeconfigUser) {
  const { server, caPem, writtenCaPem = caPem, tlsServerName, proxyUrl } = address;
  const cluster = {
    ...(writtenCaPem === "" ? {} : { "certificate-authority-data": encodeBase64(encodeUtf8(writtenCaPem)) }),
    server,
    ...(tlsServerName === undefined ? {} : { "tls-server-name": tlsServerName }),
    ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
  };
  return encodeKubeconfig({
    clusters: [{ name: "default-cluster", cluster }],
    users: [{ name: "default-auth", user }],
    contexts: [
      { name: "default-context", context: { cluster: "default-cluster", namespace: "default", user: "default-auth" } },
    ],
    currentContext: "default-context",
  });
}

type Environment = Readonly<Record<string, string | undefined>> | undefined;

/**
 * The cluster of a kubeconfig that a join wrote. Undefined also for a file that is not usable; a join then writes it
 * again. `env` says where this machine's roots are.
 */
export async function loadKnownCluster(path: string, env: Environment): Promise<ClusterAddress | undefined> {
  const text = await loadTextIfPresent(path);
  if (text === undefined) return undefined;
  try {
    const address = addressOf(await loadKubeconfigConnection(path, { text, env }));
    return parseEndpoint(address.server) === "" ? undefined : address;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** Where the machine's roots vouch for the server, none is written into the kubeconfigs that follow either. */
export function addressOf(connection: LoadedConnection): ClusterAddress {
  const { server, caPem, usesSystemRoots, tlsServerName, proxyUrl } = connection;
  return {
    server,
    caPem,
    ...(usesSystemRoots ? { writtenCaPem: "" } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

/** Only for the same address: another may be another cluster, which discovery finds out. */
export function isSameCluster({ server }: ClusterAddress, method: DiscoveryMethod | undefined): boolean {
  if (method === undefined) return true;
  return method.kind === "token" && method.addresses.includes(parseEndpoint(server));
}
