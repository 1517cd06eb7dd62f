// A hollow node: the kubelet's code with a fake runtime. It bootstraps and registers like a real one and needs neither
// root nor a container runtime, but it never rotates its certificate and never asks for a serving certificate.

import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import type { ControlPlane } from "./control-plane.ts";
import { type RunningNode, waitUntilNodeReady } from "./node.ts";
import { findFreePorts } from "./ports.ts";
import { startProcess } from "./process.ts";
import { note } from "./reaper.ts";
import { canConnect } from "./wait.ts";
import { createWorkspace, removePath } from "./workspace.ts";

export interface KubemarkOptions {
  readonly controlPlane: ControlPlane;
  readonly name: string;
  /** One of the two: a kubeconfig to ask for a certificate with, or one that is an identity already. */
  readonly bootstrapKubeconfig?: string;
  readonly kubeconfig?: string;
}

export async function startKubemark(options: KubemarkOptions): Promise<RunningNode> {
  const { controlPlane, name } = options;
  const { dir, remove } = await createWorkspace("kubemark");
  const kubeconfigPath = options.kubeconfig ?? join(dir, "kubelet.conf");
  const certDir = join(dir, "pki");
  const [port = 0] = await findFreePorts(1);
  const args = [
    "--morph=kubelet",
    "--use-host-image-service=false",
    `--name=${name}`,
    `--kubeconfig=${kubeconfigPath}`,
    ...(options.bootstrapKubeconfig === undefined ? [] : [`--bootstrap-kubeconfig=${options.bootstrapKubeconfig}`]),
    `--cert-dir=${certDir}`,
    `--kubelet-port=${port}`,
    "--kubelet-read-only-port=0",
  ];
  const command = locateBinary("kubemark").path;
  // It would write rules into the machine's packet filter; without a PATH it finds no iptables and goes on.
  const server = await startProcess({ name: "kubemark", command, args, dir, env: { PATH: "" } });
  const stop = async (): Promise<void> => {
    const rootDir = await findRootDir(server.logPath);
    await server.stop();
    if (rootDir !== undefined) await removePath(rootDir);
    await removeDeadSockets();
    await remove();
  };
  return {
    name,
    kubeconfigPath,
    certDir,
    logPath: server.logPath,
    stop,
    waitUntilReady: async (limitMs) => {
      await waitUntilNodeReady(controlPlane, { name, servers: [server], limitMs });
      const rootDir = await findRootDir(server.logPath);
      if (rootDir !== undefined) note({ path: rootDir });
    },
  };
}

/** It makes its root directory in /tmp, whatever TMPDIR says, names it in its log and leaves it there. */
async function findRootDir(logPath: string): Promise<string | undefined> {
  return /Using (\/tmp\/hollow-kubelet\.\S+) as root dir/.exec(await readFile(logPath, "utf8"))?.[1];
}

/**
 * The fake runtime's socket is left in /tmp too, under a name that nobody can learn from outside. Whatever hollow node
 * it was of, a socket that refuses a connection has no owner any more.
 */
async function removeDeadSockets(): Promise<void> {
  const names = (await readdir("/tmp")).filter((name) => /^kubelet_remote_\d+\.sock$/.test(name));
  for (const path of names.map((name) => join("/tmp", name))) {
    if (!(await canConnect(path))) await rm(path, { force: true });
  }
}
