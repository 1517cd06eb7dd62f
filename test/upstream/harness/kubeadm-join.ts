// A worker that joins as people join workers: `kubeadm join`, the real kubelet, and in the place of systemd a script
// that starts the kubelet once kubeadm has written what it needs. Both write into /etc and /var/lib, so both run in the
// mount namespace of the worker's containerd, where these are its own. Needs root.

import { createHash, X509Certificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary, readModule } from "../assets/binaries.mjs";
import { type CommandResult, runCommand, runCommandOk } from "./command.ts";
import { type Containerd, startContainerd } from "./containerd.ts";
import type { ControlPlane } from "./control-plane.ts";
import { GUEST_SETTINGS } from "./kubelet.ts";
import { waitUntilNodeReady } from "./node.ts";
import { findFreePorts } from "./ports.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { binaryOf } from "./releases.ts";
import { createWorkspace } from "./workspace.ts";

export interface JoinedWorker {
  readonly name: string;
  /** How `kubeadm join` ended and what it said. */
  readonly joined: CommandResult;
  /** What the kubelet said so far. */
  log(): string;
  waitUntilReady(limitMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const STATUS_EVERY = "5s";
const JOIN_LIMIT_MS = 150_000;

/** What `kubeadm init` leaves for workers to read: how the cluster is made and how a kubelet is to be set up in it. */
export async function uploadKubeadmConfig(controlPlane: ControlPlane): Promise<void> {
  const [port = 0, healthzPort = 0] = await findFreePorts(2);
  const path = join(controlPlane.dir, "upload.yaml");
  const documents = kubeadmDocuments(controlPlane.port, { port, healthzPort });
  await writeFile(path, documents.map((document) => JSON.stringify(document)).join("\n---\n"), { mode: 0o600 });
  await runCommandOk(locateBinary("kubeadm").path, [
    ...["init", "phase", "upload-config", "all"],
    ...["--config", path, "--kubeconfig", controlPlane.adminKubeconfigPath],
  ]);
}

function kubeadmDocuments(apiPort: number, ports: { readonly port: number; readonly healthzPort: number }): object[] {
  const apiVersion = "kubeadm.k8s.io/v1beta4";
  return [
    {
      apiVersion,
      kind: "InitConfiguration",
      // Never dialled; kubeadm refuses to advertise a loopback address, and would look for a container runtime.
      localAPIEndpoint: { advertiseAddress: "203.0.113.10", bindPort: apiPort },
      nodeRegistration: { name: "control-plane", criSocket: "unix:///nonexistent/cri.sock" },
    },
    {
      apiVersion,
      kind: "ClusterConfiguration",
      kubernetesVersion: readModule().kubernetesVersion,
      controlPlaneEndpoint: `127.0.0.1:${apiPort}`,
    },
    {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      address: "127.0.0.1",
      healthzBindAddress: "127.0.0.1",
      ...ports,
      nodeStatusUpdateFrequency: STATUS_EVERY,
      ...GUEST_SETTINGS,
    },
  ];
}

/** $0 is the kubelet. As in kubeadm's systemd unit, which restarts the kubelet until its configuration is there. */
const KUBELET_UNIT = `set -e
until [ -s /var/lib/kubelet/kubeadm-flags.env ]; do sleep 0.1; done
. /var/lib/kubelet/kubeadm-flags.env
exec "$0" --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf \\
  --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS --v=2`;

export async function joinWithKubeadm(
  controlPlane: ControlPlane,
  { name, token }: { readonly name: string; readonly token: string },
): Promise<JoinedWorker> {
  const { dir, remove } = await createWorkspace("worker");
  let containerd: Containerd | undefined;
  let kubelet: ServerProcess | undefined;
  const stop = async (): Promise<void> => {
    await kubelet?.stop();
    await containerd?.server.stop();
    await remove();
  };
  try {
    containerd = await startContainerd(dir);
    const inside = ["--mount", `--target=${containerd.server.pid()}`, "--"];
    const unit = [...inside, "sh", "-c", KUBELET_UNIT, binaryOf("kubelet").path];
    kubelet = await startProcess({ name: "kubelet", command: "nsenter", args: unit, dir });
    const servers = [kubelet, containerd.server];
    const args = joinArguments(controlPlane, { name, token, endpoint: containerd.endpoint });
    const command = [...inside, locateBinary("kubeadm").path, ...args];
    const joined = await runCommand("nsenter", command, { limitMs: JOIN_LIMIT_MS });
    return {
      name,
      joined,
      log: () => servers[0]?.lastLines(200) ?? "",
      stop,
      waitUntilReady: (limitMs) => waitUntilNodeReady(controlPlane, { name, servers, limitMs }),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface JoinArguments {
  readonly name: string;
  readonly token: string;
  readonly endpoint: string;
}

function joinArguments({ port, caPem }: ControlPlane, { name, token, endpoint }: JoinArguments): string[] {
  const { publicKey } = new X509Certificate(caPem);
  const pin = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
  return [
    ...["join", `127.0.0.1:${port}`, "--token", token, "--discovery-token-ca-cert-hash", `sha256:${pin}`],
    ...["--node-name", name, "--cri-socket", endpoint],
    // It looks for systemd, swap, bridges and the like, none of which this machine is asked for.
    "--ignore-preflight-errors=all",
  ];
}
