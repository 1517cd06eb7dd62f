// A real etcd of one member, on loopback, without TLS: only the API server beside it knows its port.

import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import { type ServerProcess, startProcess } from "./process.ts";

export function startEtcd(dir: string, clientUrl: string, peerUrl: string): Promise<ServerProcess> {
  const args = [
    `--data-dir=${join(dir, "etcd")}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    // The data need not survive a power cut; without this a busy disk makes every test slow.
    "--unsafe-no-fsync",
  ];
  return startProcess({ name: "etcd", command: locateBinary("etcd").path, args, dir });
}
