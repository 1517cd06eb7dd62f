// `node-attestation-controller` from its command line to its exit code.

import { setFlagsFromString } from "node:v8";
import {
  createKubeClient,
  type KubeClient,
  type LoadOptions,
  loadConnection,
  loadKubeconfigClient,
} from "../../platform/kube/index.ts";
import { type ProcessEdge, runCommand, VERSION } from "../../platform/process/index.ts";
import { createLog } from "../../platform/report/index.ts";
import { type CommandLine, HELP, parseCommandLine } from "./command-line.ts";
import { runController } from "./run-controller.ts";

export function runControllerCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  return runCommand("node-attestation-controller", edge, async () => {
    const line = parseCommandLine(args);
    if (line === "help") return edge.stdout.write(HELP);
    if (line === "version") return edge.stdout.write(`node-attestation-controller ${VERSION}\n`);
    tuneEngine();
    const log = await createLog({ level: line.logLevel });
    for (const warning of line.warnings) log.warn(warning);
    const connection = await loadConnection(line.kubeconfig, { env: edge.env, log });
    const management = await openManagement(line, { env: edge.env, log });
    const client = createKubeClient(connection);
    try {
      await runController(line, { edge, client, management, server: connection.server, log });
    } finally {
      await Promise.all([client.close(), management?.close()]);
    }
  });
}

async function openManagement(
  { managementKubeconfig }: CommandLine,
  options: LoadOptions,
): Promise<KubeClient | undefined> {
  return managementKubeconfig === undefined ? undefined : await loadKubeconfigClient(managementKubeconfig, options);
}

// V8 settings for a process that must be quick soon after its start: a controller that takes over meets a thousand
// machines that have waited for it. Set while it runs, because a command started by its file has no say in Node's
// flags.

/**
 * interrupt-budget: how much of a function runs before V8 looks whether to optimize it; its own measure is 67,584. A
 * join passes through some five hundred functions, most of them once: by that measure the second thousand of joins is
 * still half interpreted. Five pairs of runs on a real server, in turn: the second thousand takes 0.93 of the
 * controller's processor time (0.84 to 0.96), the first as much as before; seven against a stand-in that costs less:
 * 0.71 (0.53 to 0.99). 20 MiB more are resident. A budget of 200,000 changed nothing; a collector without threads took
 * a tenth off, which is not worth its pauses with 100,000 Machines.
 */
const SETTINGS: readonly string[] = ["--interrupt-budget=15000"];

function tuneEngine(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting);
}
