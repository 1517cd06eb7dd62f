// `countersign-gateway` as it was built, before a real kube-apiserver: with the API server's own serving certificate,
// the front proxy's certificate that kubeadm made, and the service account of deploy/gateway-rbac.yaml.

import { join } from "node:path";
import type { ControlPlane } from "./control-plane.ts";
import type { ClusterAddress } from "./kubeconfig.ts";
import { findFreePorts } from "./ports.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { locateProgram } from "./program.ts";
import { logInAsGateway, manifestPath } from "./service-account.ts";
import { waitFor } from "./wait.ts";

export interface OurGateway extends ClusterAddress {
  readonly port: number;
  readonly healthPort: number;
  readonly server: ServerProcess;
  /** Waits until it knows the bootstrap tokens. */
  waitUntilReady(): Promise<void>;
  stop(): Promise<void>;
}

const LIMIT_MS = 30_000;

export async function startOurGateway(controlPlane: ControlPlane): Promise<OurGateway> {
  const kubeconfig = await logInAsGateway(controlPlane);
  await controlPlane.kubectl(["apply", "-f", manifestPath("discovery-rbac.yaml")]);
  const [port = 0, healthPort = 0] = await findFreePorts(2);
  const file = (name: string) => join(controlPlane.pkiDir, name);
  const args = [
    locateProgram("countersign-gateway"),
    ...[`--listen=127.0.0.1:${port}`, `--status-address=127.0.0.1:${healthPort}`],
    ...[`--backend=${controlPlane.url}`, `--backend-ca-file=${file("ca.crt")}`],
    ...[`--tls-cert-file=${file("apiserver.crt")}`, `--tls-private-key-file=${file("apiserver.key")}`],
    ...[`--client-ca-file=${file("ca.crt")}`, `--proxy-client-cert-file=${file("front-proxy-client.crt")}`],
    ...[`--proxy-client-key-file=${file("front-proxy-client.key")}`, `--kubeconfig=${kubeconfig}`],
  ];
  const { dir, caPem } = controlPlane;
  const server = await startProcess({ name: "countersign-gateway", command: process.execPath, args, dir });
  const waitUntilReady = async () => {
    await waitFor({
      what: "the gateway to know the tokens",
      limitMs: LIMIT_MS,
      servers: [server],
      probe: async () => ((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok ? true : undefined),
    });
  };
  return { url: `https://127.0.0.1:${port}`, caPem, port, healthPort, server, waitUntilReady, stop: server.stop };
}
