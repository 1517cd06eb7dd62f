// A real kube-apiserver on loopback.

import { join } from "node:path";
import type { Pki } from "./pki.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { binaryOf } from "./releases.ts";

export interface ApiServerOptions {
  readonly dir: string;
  readonly pki: Pki;
  readonly port: number;
  readonly etcdUrl: string;
  readonly flags: readonly string[];
}

/** The flags that kubeadm gives, as far as they concern identity, plus what loopback needs. */
export function startApiServer({ dir, pki, port, etcdUrl, flags }: ApiServerOptions): Promise<ServerProcess> {
  const file = (name: string) => join(pki.pkiDir, name);
  const args = [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--advertise-address=127.0.0.1",
    // A Service endpoint may not be a loopback address.
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.96.0.0/16",
    `--tls-cert-file=${file("apiserver.crt")}`,
    `--tls-private-key-file=${file("apiserver.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${file("sa.pub")}`,
    `--service-account-signing-key-file=${file("sa.key")}`,
    `--kubelet-client-certificate=${file("apiserver-kubelet-client.crt")}`,
    `--kubelet-client-key=${file("apiserver-kubelet-client.key")}`,
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--enable-bootstrap-token-auth=true",
    ...flags,
  ];
  return startProcess({ name: "kube-apiserver", command: binaryOf("kube-apiserver").path, args, dir });
}
