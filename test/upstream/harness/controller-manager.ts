// kube-controller-manager with only the controllers that a test asks for.

import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import type { Pki } from "./pki.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { answersOk, waitFor } from "./wait.ts";

/** Approves and signs what kubelets ask for: the upstream twin of our controller. */
export const KUBELET_CSR_CONTROLLERS: readonly string[] = [
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
];

export interface ControllerManagerOptions {
  readonly dir: string;
  readonly pki: Pki;
  readonly port: number;
  readonly controllers: readonly string[];
  /** Added last, so that they win. */
  readonly flags?: readonly string[];
}

const READY_LIMIT_MS = 30_000;

export async function startControllerManager(options: ControllerManagerOptions): Promise<ServerProcess> {
  const { dir, pki, port } = options;
  const file = (name: string) => join(pki.pkiDir, name);
  const args = [
    `--kubeconfig=${join(pki.kubeconfigDir, "controller-manager.conf")}`,
    `--controllers=${options.controllers.join(",")}`,
    "--leader-elect=false",
    "--use-service-account-credentials=true",
    `--service-account-private-key-file=${file("sa.key")}`,
    `--root-ca-file=${file("ca.crt")}`,
    `--cluster-signing-cert-file=${file("ca.crt")}`,
    `--cluster-signing-key-file=${file("ca.key")}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, "controller-manager")}`,
    ...(options.flags ?? []),
  ];
  const command = locateBinary("kube-controller-manager").path;
  const server = await startProcess({ name: "kube-controller-manager", command, args, dir });
  try {
    await waitFor({
      what: `kube-controller-manager on port ${port} to be healthy`,
      limitMs: READY_LIMIT_MS,
      servers: [server],
      // Its certificate is of its own making.
      probe: () => answersOk(`https://127.0.0.1:${port}/healthz`, { rejectUnauthorized: false }),
    });
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
