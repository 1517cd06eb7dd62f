// The two kubeconfigs of a joined node. File form: what a kubelet writes for itself, both paths at the store's current
// pair, so a renewal needs no new file. Exec form: for a kubelet with `rotateCertificates: false` and no bootstrap
// kubeconfig, which then calls the plugin whenever it needs a credential.

import { encodeKubeconfig, type KubeconfigUser } from "../../api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";

export interface ClusterAddress {
  readonly server: string;
  readonly caPem: string;
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

/** The names are those that a kubelet gives. */
function kubeconfigOf({ server, caPem }: ClusterAddress, user: KubeconfigUser): string {
  const caData = encodeBase64(encodeUtf8(caPem));
  return encodeKubeconfig({
    clusters: [{ name: "default-cluster", cluster: { "certificate-authority-data": caData, server } }],
    users: [{ name: "default-auth", user }],
    contexts: [
      { name: "default-context", context: { cluster: "default-cluster", namespace: "default", user: "default-auth" } },
    ],
    currentContext: "default-context",
  });
}
