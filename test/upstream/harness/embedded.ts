// The embedded control plane as its users run it: `countersign up` in a process of its own, on disk. It is handed out
// in the shape of the real one, so that the same test runs on both.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import { runCommandOk } from "./command.ts";
import type { ControlPlane } from "./control-plane.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { runKubectl } from "./kubectl.ts";
import { findFreePorts } from "./ports.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { locateProgram } from "./program.ts";
import { waitFor } from "./wait.ts";
import { createWorkspace } from "./workspace.ts";

const READY_LIMIT_MS = 30_000;
/** The whole log: it has a line for each trouble and a few for each start. */
const ALL_LINES = 100_000;

export async function startEmbedded(flags: readonly string[] = []): Promise<ControlPlane> {
  const { dir, remove } = await createWorkspace("embedded");
  const [port = 0] = await findFreePorts(1);
  const data = join(dir, "cluster");
  const adminKubeconfigPath = join(dir, "admin.conf");
  const args = [
    ...[locateProgram("countersign"), "up", "--port", String(port)],
    ...["--data-dir", data, "--kubeconfig-out", adminKubeconfigPath, ...flags],
  ];
  const server = await startProcess({ name: "countersign", command: process.execPath, args, dir });
  const stop = async (): Promise<void> => {
    await server.stop();
    await remove();
  };
  try {
    const url = `https://127.0.0.1:${port}`;
    let starts = 1;
    await waitUntilUp(server, starts);
    const pkiDir = join(data, "pki");
    const caPem = await readFile(join(pkiDir, "ca.crt"), "utf8");
    return {
      ...{ url, caPem, port, dir, pkiDir, adminKubeconfigPath, stop },
      caKeyPem: await readFile(join(pkiDir, "ca.key"), "utf8"),
      kubectl: (args, options = {}) => runKubectl(args, { kubeconfig: adminKubeconfigPath, homeDir: dir, ...options }),
      createBootstrapToken: () => createBootstrapToken(adminKubeconfigPath),
      writeTokenKubeconfig: (name, token) =>
        writeKubeconfig(join(dir, `${name}.kubeconfig`), { url, caPem }, { token }),
      serverPid: server.pid,
      restartApiServer: async () => {
        await server.restart();
        starts += 1;
        await waitUntilUp(server, starts);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The program says when storage, server and controller are up: the last thing it prints at each start. */
async function waitUntilUp(server: ServerProcess, start: number): Promise<void> {
  await waitFor({
    what: "the embedded control plane to be up",
    limitMs: READY_LIMIT_MS,
    servers: [server],
    probe: () => (server.lastLines(ALL_LINES).split("kubectl get csr,nodes").length > start ? true : undefined),
  });
}

/** A bootstrap token made by kubeadm, as for the real control plane: usages and group are kubeadm's. */
async function createBootstrapToken(kubeconfig: string): Promise<string> {
  const args = ["token", "create", "--ttl", "1h", "--kubeconfig", kubeconfig];
  const { stdout } = await runCommandOk(locateBinary("kubeadm").path, args);
  return stdout.trim();
}
