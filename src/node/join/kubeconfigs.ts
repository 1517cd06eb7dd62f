// The kubeconfigs of a joining and a joined node. File form: what a kubelet writes for itself, both paths at the store's
// current pair, so a renewal needs no new file. Exec form: for a kubelet with `rotateCertificates: false` and no bootstrap
// kubeconfig, which then calls the plugin whenever it needs a credential. Bootstrap form: as kubeadm's, with a token.

import { encodeKubeconfig, type KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";

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

export interface ExecCall {
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
