// A real kubelet with a real container runtime: it bootstraps, registers, becomes Ready, rotates its certificate and
// asks for a serving certificate. Needs root.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Containerd, startContainerd } from "./containerd.ts";
import type { ControlPlane } from "./control-plane.ts";
import { type RunningNode, waitUntilNodeReady } from "./node.ts";
import { findFreePorts } from "./ports.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { binaryOf } from "./releases.ts";
import { createWorkspace } from "./workspace.ts";

export interface KubeletOptions {
  readonly controlPlane: ControlPlane;
  readonly name: string;
  /**
   * One of the two: a kubeconfig to ask for a certificate with, or one that is an identity already (exec, certificate).
   */
  readonly bootstrapKubeconfig?: string;
  readonly kubeconfig?: string;
  /** Default true, as kubeadm sets it. An exec user needs false: see the kubelet's certificate manager. */
  readonly rotateCertificates?: boolean;
  /**
   * A directory of manifests that it runs without asking anybody. Its containers need PAUSE_IMAGE, which is imported.
   */
  readonly staticPods?: string;
  /** Ask the API for a serving certificate. Default false: the kubelet makes one itself. */
  readonly serverTlsBootstrap?: boolean;
}

export interface RunningKubelet extends RunningNode {
  /** Where its own HTTPS API listens on loopback. */
  readonly port: number;
  /** Ends the kubelet and leaves its files, until `restart`. */
  halt(): Promise<void>;
  /** The same kubelet again, with the files that it wrote. */
  restart(): Promise<void>;
}

/** The machine is not the kubelet's: it runs beside everything else and leaves cgroups and packet filter alone. */
export const GUEST_SETTINGS = {
  cgroupDriver: "cgroupfs",
  cgroupsPerQOS: false,
  enforceNodeAllocatable: ["none"],
  failCgroupV1: false,
  failSwapOn: false,
  makeIPTablesUtilChains: false,
};

export async function startKubelet(options: KubeletOptions): Promise<RunningKubelet> {
  const { controlPlane, name } = options;
  const { dir, remove } = await createWorkspace("kubelet");
  const [port = 0, healthzPort = 0] = await findFreePorts(2);
  let containerd: Containerd | undefined;
  let kubelet: ServerProcess | undefined;
  const stop = async (): Promise<void> => {
    await kubelet?.stop();
    try {
      if (options.staticPods !== undefined) await containerd?.endContainers();
    } finally {
      await containerd?.server.stop();
    }
    await remove();
  };
  try {
    containerd = await startContainerd(dir);
    if (options.staticPods !== undefined) await containerd.importPauseImage();
    await writeFile(join(dir, "clients.crt"), controlPlane.caPem);
    const configPath = join(dir, "config.json");
    const config = kubeletConfig(options, { dir, port, healthzPort, endpoint: containerd.endpoint });
    await writeFile(configPath, JSON.stringify(config));
    kubelet = await spawnKubelet(options, { dir, configPath, namespaceOf: containerd.server.pid() });
    const servers = [kubelet, containerd.server];
    return {
      name,
      port,
      ...credentialPaths(options, dir),
      logPath: kubelet.logPath,
      halt: kubelet.stop,
      restart: kubelet.restart,
      stop,
      waitUntilReady: (limitMs) => waitUntilNodeReady(controlPlane, { name, servers, limitMs }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function credentialPaths(options: KubeletOptions, dir: string): Pick<RunningNode, "kubeconfigPath" | "certDir"> {
  return { kubeconfigPath: options.kubeconfig ?? join(dir, "kubelet.conf"), certDir: join(dir, "pki") };
}

interface SpawnOptions {
  readonly dir: string;
  readonly configPath: string;
  readonly namespaceOf: number;
}

function spawnKubelet(options: KubeletOptions, { dir, configPath, namespaceOf }: SpawnOptions): Promise<ServerProcess> {
  const { kubeconfigPath, certDir } = credentialPaths(options, dir);
  const bootstrap = options.bootstrapKubeconfig;
  const args = [
    ...["--mount", `--target=${namespaceOf}`, "--", binaryOf("kubelet").path],
    ...(bootstrap === undefined ? [] : [`--bootstrap-kubeconfig=${bootstrap}`]),
    `--kubeconfig=${kubeconfigPath}`,
    `--config=${configPath}`,
    `--root-dir=${join(dir, "root")}`,
    `--cert-dir=${certDir}`,
    `--hostname-override=${options.name}`,
    "--v=2",
  ];
  return startProcess({ name: "kubelet", command: "nsenter", args, dir });
}

interface Listening {
  readonly dir: string;
  readonly port: number;
  readonly healthzPort: number;
  readonly endpoint: string;
}

function kubeletConfig(options: KubeletOptions, { dir, port, healthzPort, endpoint }: Listening): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: "127.0.0.1",
    port,
    readOnlyPort: 0,
    healthzBindAddress: "127.0.0.1",
    healthzPort,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(dir, "clients.crt") },
    },
    authorization: { mode: "Webhook" },
    rotateCertificates: options.rotateCertificates ?? true,
    serverTLSBootstrap: options.serverTlsBootstrap ?? false,
    containerRuntimeEndpoint: endpoint,
    podLogsDir: join(dir, "pod-logs"),
    ...(options.staticPods === undefined ? {} : { staticPodPath: options.staticPods, fileCheckFrequency: "1s" }),
    ...GUEST_SETTINGS,
  };
}
