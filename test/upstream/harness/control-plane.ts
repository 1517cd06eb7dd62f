// A real etcd and a real kube-apiserver on loopback, on request with kube-controller-manager: what every upstream test
// stands on. Nothing is shared between two of them, and nothing is left after stop().

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import { startApiServer } from "./api-server.ts";
import { type CommandResult, runCommandOk } from "./command.ts";
import { startControllerManager } from "./controller-manager.ts";
import { startEtcd } from "./etcd.ts";
import { type ClusterAddress, writeKubeconfig } from "./kubeconfig.ts";
import { type KubectlOptions, runKubectl, runKubectlOk } from "./kubectl.ts";
import { createPki, type KeyAlgorithm, type Pki } from "./pki.ts";
import { findFreePorts } from "./ports.ts";
import type { ServerProcess } from "./process.ts";
import { answersOk, waitFor } from "./wait.ts";
import { createWorkspace } from "./workspace.ts";

export interface ControlPlaneOptions {
  /**
   * Controllers of kube-controller-manager by name, such as KUBELET_CSR_CONTROLLERS. Default: it does not run at all.
   */
  readonly controllers?: readonly string[];
  /** Of the cluster's CA and all its leaves. Default: kubeadm's, RSA-2048. */
  readonly keyAlgorithm?: KeyAlgorithm;
  /** Added after the harness's own flags, so that they win. */
  readonly apiServerFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
}

export interface ControlPlane extends ClusterAddress {
  readonly port: number;
  readonly caKeyPem: string;
  readonly adminKubeconfigPath: string;
  readonly dir: string;
  /** Where kubeadm put ca.crt, ca.key and the others. */
  readonly pkiDir: string;
  /** As the administrator, unless another kubeconfig is given. A failure is a result, not an error. */
  kubectl(args: readonly string[], options?: Partial<KubectlOptions>): Promise<CommandResult>;
  /** A fresh token, valid for an hour, with kubeadm's usages and group. */
  createBootstrapToken(): Promise<string>;
  /** Path of a kubeconfig that authenticates with a bearer token. */
  writeTokenKubeconfig(name: string, token: string): Promise<string>;
  /** Of the process that answers requests. */
  serverPid(): number;
  /** Ends it and starts it anew on the same port and the same etcd, until it is ready. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 60_000;

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const workspace = await createWorkspace("cluster");
  const servers: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    await workspace.remove();
  };
  try {
    return { ...(await startServers(workspace.dir, servers, options)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startServers(
  dir: string,
  servers: ServerProcess[],
  options: ControlPlaneOptions,
): Promise<Omit<ControlPlane, "stop">> {
  const [etcdPort = 0, peerPort = 0, port = 0, managerPort = 0] = await findFreePorts(4);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcd = await startEtcd(dir, etcdUrl, `http://127.0.0.1:${peerPort}`);
  servers.push(etcd);
  const pki = await createPki({ dir, port, etcdUrl, keyAlgorithm: options.keyAlgorithm ?? "RSA-2048" });
  const cluster = { url: `https://127.0.0.1:${port}`, caPem: await readFile(join(pki.pkiDir, "ca.crt"), "utf8") };
  const apiServer = await startApiServer({ dir, pki, port, etcdUrl, flags: options.apiServerFlags ?? [] });
  servers.push(apiServer);
  const waitUntilReady = () => waitUntilApiReady(cluster, [etcd, apiServer]);
  await waitUntilReady();
  await bindRoles(dir, pki);
  if (options.controllers !== undefined) {
    const { controllers, controllerManagerFlags: flags = [] } = options;
    servers.push(await startControllerManager({ dir, pki, port: managerPort, controllers, flags }));
  }
  const restartApiServer = async (): Promise<void> => {
    await apiServer.restart();
    await waitUntilReady();
  };
  return {
    ...cluster,
    port,
    dir,
    restartApiServer,
    serverPid: apiServer.pid,
    ...(await describeAccess(dir, pki, cluster)),
  };
}

async function waitUntilApiReady({ url, caPem }: ClusterAddress, servers: readonly ServerProcess[]): Promise<void> {
  await waitFor({
    what: `kube-apiserver on ${url} to be ready`,
    limitMs: READY_LIMIT_MS,
    servers,
    probe: () => answersOk(`${url}/readyz`, { ca: caPem }),
  });
}

async function describeAccess(dir: string, pki: Pki, cluster: ClusterAddress) {
  const adminKubeconfigPath = join(pki.kubeconfigDir, "admin.conf");
  return {
    pkiDir: pki.pkiDir,
    caKeyPem: await readFile(join(pki.pkiDir, "ca.key"), "utf8"),
    adminKubeconfigPath,
    kubectl: (args: readonly string[], options: Partial<KubectlOptions> = {}) =>
      runKubectl(args, { kubeconfig: adminKubeconfigPath, homeDir: dir, ...options }),
    createBootstrapToken: () => createBootstrapToken(adminKubeconfigPath),
    writeTokenKubeconfig: (name: string, token: string) =>
      writeKubeconfig(join(dir, `${name}.kubeconfig`), cluster, { token }),
  };
}

/** Everything `kubeadm init` would have left in the API for administrators and for joining nodes. */
async function bindRoles(dir: string, pki: Pki): Promise<void> {
  const superAdmin = join(pki.kubeconfigDir, "super-admin.conf");
  const group = "kubeadm:cluster-admins";
  await Promise.all([
    runCommandOk(locateBinary("kubeadm").path, [
      ...["init", "phase", "bootstrap-token", "--skip-token-print"],
      ...["--config", pki.kubeadmConfigPath, "--kubeconfig", superAdmin],
    ]),
    runKubectlOk(["create", "clusterrolebinding", group, "--clusterrole=cluster-admin", `--group=${group}`], {
      kubeconfig: superAdmin,
      homeDir: dir,
    }),
  ]);
}

async function createBootstrapToken(kubeconfig: string): Promise<string> {
  const args = ["token", "create", "--ttl", "1h", "--kubeconfig", kubeconfig];
  const { stdout } = await runCommandOk(locateBinary("kubeadm").path, args);
  return stdout.trim();
}
