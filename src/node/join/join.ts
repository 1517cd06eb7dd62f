// A machine's first start, from a token and an address to a certificate and kubeconfigs. Every step can be taken up again:
// a pending request is found by its key, a stored certificate ends the story at once, files are replaced whole.

import { join as joinPath } from "node:path";
import { atomicWriteFile } from "../../platform/files/index.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import { type CertificateStore, createCertificateStore, requirePrivate } from "../certificates/index.ts";
import { enrol, findKept } from "./enrol.ts";
import { type ClusterAddress, execKubeconfig, fileKubeconfig } from "./kubeconfigs.ts";
import { parseNodeName } from "./node-name.ts";
import { type JoinOptions, type JoinResult, kubeconfigPathOf, signerNameOf } from "./options.ts";
import { registerNode } from "./register.ts";

export async function joinNode(options: JoinOptions): Promise<JoinResult> {
  const nodeName = parseNodeName(options.nodeName);
  const store = createCertificateStore({
    directory: joinPath(options.directory, "pki"),
    clock: options.clock,
    onNotice: options.waiting,
  });
  const kept = await findKept(options, store);
  const { cluster, pair } = kept ?? (await enrol(options, store));
  const paths = await saveKubeconfigs(options, store, cluster);
  if (options.registerNode !== undefined) await register(options, cluster, pair);
  return {
    nodeName,
    server: cluster.server,
    caPem: cluster.caPem,
    ...paths,
    certificatePath: store.layout.currentPath,
    notAfterMs: pair.notAfterMs,
    wasJoined: kept !== undefined,
  };
}

async function saveKubeconfigs(options: JoinOptions, store: CertificateStore, cluster: ClusterAddress) {
  const kubeconfigPath = kubeconfigPathOf(options);
  const execKubeconfigPath = joinPath(options.directory, "kubelet-exec.kubeconfig");
  const call = {
    command: options.execCommand ?? `kubelet-authenticator-${options.provider.name}`,
    args: [
      `--node-name=${options.nodeName}`,
      `--cert-dir=${store.layout.directory}`,
      `--signer-name=${signerNameOf(options)}`,
    ],
  };
  // The second of these names a command that a kubelet runs as root.
  await requirePrivate(options.directory);
  await atomicWriteFile(kubeconfigPath, fileKubeconfig(cluster, store.layout.currentPath), { mode: 0o600 });
  await atomicWriteFile(execKubeconfigPath, execKubeconfig(cluster, call), { mode: 0o600 });
  return { kubeconfigPath, execKubeconfigPath };
}

async function register(options: JoinOptions, cluster: ClusterAddress, pair: CertificatePair): Promise<void> {
  const credentials = () => ({ certPem: pair.certificatePem, keyPem: pair.keyPem });
  const client = createKubeClient({ server: cluster.server, caPem: cluster.caPem, credentials });
  try {
    const isNew = await registerNode({
      client,
      nodeName: options.nodeName,
      addresses: options.registerNode?.addresses ?? [],
      nowMs: options.clock.now(),
      signal: options.signal,
    });
    options.progress?.("registered", isNew ? options.nodeName : `${options.nodeName} (was there already)`);
  } finally {
    await client.close();
  }
}
