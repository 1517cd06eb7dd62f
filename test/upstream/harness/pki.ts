// Keys, certificates and kubeconfigs of a test cluster, made by the real kubeadm, as a real cluster's are.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary, readModule } from "../assets/binaries.mjs";
import { runCommandOk } from "./command.ts";

export type KeyAlgorithm = "RSA-2048" | "ECDSA-P256";

export interface PkiOptions {
  readonly dir: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly keyAlgorithm: KeyAlgorithm;
}

export interface Pki {
  readonly pkiDir: string;
  readonly kubeconfigDir: string;
  /** What further kubeadm phases are given. */
  readonly kubeadmConfigPath: string;
}

/** kubeadm refuses to advertise a loopback address. This one is for documentation (RFC 5737) and is never dialled. */
const ADVERTISED = "203.0.113.10";

/** The kubeconfigs that tests use, out of the five kubeadm knows. */
const KUBECONFIGS = ["admin", "super-admin", "controller-manager"];

export async function createPki(options: PkiOptions): Promise<Pki> {
  const pki: Pki = {
    pkiDir: join(options.dir, "pki"),
    kubeconfigDir: join(options.dir, "kubeconfig"),
    kubeadmConfigPath: join(options.dir, "kubeadm.yaml"),
  };
  await writeFile(pki.kubeadmConfigPath, kubeadmConfig(options, pki.pkiDir), { mode: 0o600 });
  const phase = (...args: string[]) =>
    runCommandOk(locateBinary("kubeadm").path, ["init", "phase", ...args, "--config", pki.kubeadmConfigPath]);
  await phase("certs", "all");
  await Promise.all(KUBECONFIGS.map((name) => phase("kubeconfig", name, "--kubeconfig-dir", pki.kubeconfigDir)));
  await pointToLoopback(pki.kubeconfigDir);
  return pki;
}

function kubeadmConfig(options: PkiOptions, pkiDir: string): string {
  const apiVersion = "kubeadm.k8s.io/v1beta4";
  const init = {
    apiVersion,
    kind: "InitConfiguration",
    localAPIEndpoint: { advertiseAddress: ADVERTISED, bindPort: options.port },
    // Named only to keep kubeadm from looking for a container runtime.
    nodeRegistration: { name: "control-plane", criSocket: "unix:///nonexistent/cri.sock" },
  };
  const cluster = {
    apiVersion,
    kind: "ClusterConfiguration",
    kubernetesVersion: readModule().kubernetesVersion,
    controlPlaneEndpoint: `127.0.0.1:${options.port}`,
    certificatesDir: pkiDir,
    encryptionAlgorithm: options.keyAlgorithm,
    apiServer: { certSANs: ["127.0.0.1", "localhost"] },
    etcd: { external: { endpoints: [options.etcdUrl] } },
  };
  return `${JSON.stringify(init)}\n---\n${JSON.stringify(cluster)}\n`;
}

/** controller-manager.conf names the advertised address whatever the control plane's endpoint is. */
async function pointToLoopback(dir: string): Promise<void> {
  for (const file of await readdir(dir)) {
    const path = join(dir, file);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replaceAll(`https://${ADVERTISED}:`, "https://127.0.0.1:"), { mode: 0o600 });
  }
}
