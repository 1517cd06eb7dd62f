// A machine's first start, from a way to find the cluster to a certificate and kubeconfigs. Every step can be taken up
// again: the credential is on disk before it is used, a pending request is found by its key, a stored certificate ends
// the story at once, files are replaced whole.

import { resolve } from "node:path";
import { encodeRecipient } from "../../attestation/evidence/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, requirePrivate } from "../../platform/files/index.ts";
import { createKubeClient, findCommand } from "../../platform/kube/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import {
  type CertificateStore,
  commonNameOf,
  createCertificateStore,
  findOthers,
  repairWhenFree,
  takesEvidence,
} from "../certificates/index.ts";
import { enrol, findKept } from "./enrol.ts";
import { type ClusterAddress, execKubeconfig, fileKubeconfig } from "./kubeconfigs.ts";
import {
  type JoinOptions,
  type JoinResult,
  parseNodeName,
  signerNameOf,
  startTime,
  type TimedJoin,
} from "./options.ts";
import { joinPlaces } from "./places.ts";
import { registerNode } from "./register.ts";

export async function joinNode(untimed: JoinOptions): Promise<JoinResult> {
  const options = startTime(untimed);
  const nodeName = parseNodeName(options.nodeName);
  const store = openStore(options);
  requireOwnDirectory(options, store);
  const kept = await findKept(options, store);
  // Power may have been lost before the plain keys were removed that the sealed one replaces. Without a daemon, only
  // the next renewal would look again.
  if (kept !== undefined && options.sealKeys === true)
    await repairWhenFree(store, commonNameOf(nodeName), options.clock);
  const { cluster, pair } = kept ?? (await enrol(options, store));
  await saveKubeconfigs(options, store, cluster);
  if (options.registerNode !== undefined) await register(options, cluster, pair);
  const { kubeconfigPath, execKubeconfigPath } = joinPlaces(options.directory);
  const command = pluginOf(options);
  return {
    nodeName,
    server: cluster.server,
    caPem: cluster.caPem,
    kubeconfigPath,
    execKubeconfigPath,
    certificatePath: store.layout.currentPath,
    notAfterMs: pair.notAfterMs,
    plugin: { command, path: await findCommand(command, options) },
    wasJoined: kept !== undefined,
  };
}

/** Before anything is written: a mistaken directory must not put its node out of service. */
export function requireOwnDirectory({ directory, nodeName, clock }: JoinOptions, store: CertificateStore): void {
  const others = findOthers(store.look(), { nodeName, nowMs: clock.now() });
  if (others === undefined) return;
  throw new Fault("bad-config", `${directory} holds the certificate of ${others.whose}, good until ${others.until}`, {
    detail: { todo: `use another --directory, or countersign node leave --directory ${directory} first` },
  });
}

export function openStore({ directory, clock, waiting, provider, sealKeys = false }: JoinOptions): CertificateStore {
  const { certDirectory } = joinPlaces(directory);
  const { keySeal } = provider;
  return createCertificateStore({ directory: certDirectory, clock, onNotice: waiting, keySeal, sealKeys });
}

async function saveKubeconfigs(options: JoinOptions, store: CertificateStore, cluster: ClusterAddress): Promise<void> {
  const { kubeconfigPath, execKubeconfigPath, clientCaPath } = joinPlaces(options.directory);
  const call = {
    command: pluginOf(options),
    args: execArgs(options),
  };
  // The last of these names a command that a kubelet runs as root.
  await requirePrivate(options.directory);
  if (options.clientCaPem !== undefined) await atomicWriteFile(clientCaPath, options.clientCaPem, { mode: 0o600 });
  const byPlugin = execKubeconfig(cluster, call);
  // A file with a sealed key is useless to clients that read it themselves.
  const byFile = options.sealKeys === true ? byPlugin : fileKubeconfig(cluster, store.layout.currentPath);
  await atomicWriteFile(kubeconfigPath, byFile, { mode: 0o600 });
  await atomicWriteFile(execKubeconfigPath, byPlugin, { mode: 0o600 });
}

/** A request to Kubernetes' own signer carries no evidence, so it gets the plugin whose name claims none. */
function pluginOf(options: JoinOptions): string {
  const { execCommand, provider } = options;
  const plain = "kubelet-authenticator";
  const isPlain = provider.name === "insecure" && !takesEvidence(signerNameOf(options));
  return execCommand ?? (isPlain ? plain : `${plain}-${provider.name}`);
}

function execArgs(options: JoinOptions): readonly string[] {
  const { certDirectory, bootstrapPath, clientCaPath } = joinPlaces(resolve(options.directory));
  const bootstrap = options.bootstrap?.kind === "kubeconfig" ? resolve(options.bootstrap.path) : bootstrapPath;
  return [
    `--node-name=${options.nodeName}`,
    `--cert-dir=${certDirectory}`,
    `--signer-name=${signerNameOf(options)}`,
    ...(options.keepBootstrap === true ? [`--bootstrap-kubeconfig=${bootstrap}`] : []),
    ...(options.clientCaPem === undefined ? [] : [`--client-ca-file=${clientCaPath}`]),
    ...(options.providerId === undefined ? [] : [`--provider-id=${options.providerId}`]),
    ...(options.evidenceCluster === undefined ? [] : [`--evidence-cluster=${options.evidenceCluster}`]),
    ...(options.recipient === undefined ? [] : [`--evidence-recipient=${encodeRecipient(options.recipient)}`]),
    ...Object.entries(options.providerFlags ?? {}).map(([name, value]) =>
      value === "" ? `--${name}` : `--${name}=${value}`,
    ),
  ];
}

async function register(options: TimedJoin, cluster: ClusterAddress, pair: CertificatePair): Promise<void> {
  const credentials = () => ({ certPem: pair.certificatePem, keyPem: pair.keyPem });
  const { server, caPem, tlsServerName, proxyUrl } = cluster;
  const client = createKubeClient({ server, caPem, tlsServerName, proxyUrl, credentials, env: options.env });
  try {
    const isNew = await registerNode({
      client,
      nodeName: options.nodeName,
      addresses: options.registerNode?.addresses ?? [],
      nowMs: options.clock.now(),
      signal: options.signal,
      timeoutMs: options.leftMs(),
    });
    options.progress?.("registered", isNew ? options.nodeName : `${options.nodeName} (was there already)`);
  } finally {
    await client.close();
  }
}
