// Our node daemon as a process, and what can be seen of it from outside: its files, its status page, its log.

import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type CertificatePair, parsePair } from "../../../src/platform/pair/index.ts";
import { findFreePorts } from "./ports.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { locateProgram } from "./program.ts";

export interface OurNodeOptions {
  readonly name: string;
  /** For the log. */
  readonly dir: string;
  readonly certDir: string;
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig?: string;
  readonly flags?: readonly string[];
}

export interface OurNode {
  readonly server: ServerProcess;
  readonly flags: readonly string[];
  /** The pair that a kubelet would read now. */
  pair(): CertificatePair;
  status(path: string): Promise<{ readonly code: number; readonly body: string }>;
}

export async function startOurNode(options: OurNodeOptions): Promise<OurNode> {
  const [port = 0] = await findFreePorts(1);
  const flags = nodeFlags(options);
  const args = [
    ...[locateProgram("countersign"), "node", "run", ...flags],
    ...[`--status-address=127.0.0.1:${port}`, "-v", "4", ...(options.flags ?? [])],
  ];
  const server = await startProcess({ name: "node-run", command: process.execPath, args, dir: options.dir });
  return {
    server,
    flags,
    pair: () => parsePair(readFileSync(join(options.certDir, "kubelet-client-current.pem"), "utf8")),
    status: (path) => read(`http://127.0.0.1:${port}${path}`),
  };
}

/** Those that `node run` and `node renew` share. */
export function nodeFlags({ name, certDir, kubeconfig, bootstrapKubeconfig }: OurNodeOptions): readonly string[] {
  const own = [`--node-name=${name}`, `--cert-dir=${certDir}`, `--kubeconfig=${kubeconfig}`];
  return bootstrapKubeconfig === undefined ? own : [...own, `--bootstrap-kubeconfig=${bootstrapKubeconfig}`];
}

function read(url: string): Promise<{ code: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, async (response) => resolve({ code: response.statusCode ?? 0, body: await text(response) })).on(
      "error",
      reject,
    );
  });
}
