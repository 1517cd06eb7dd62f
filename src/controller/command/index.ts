// `node-attestation-controller` from its command line to its exit code.

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
import { tuneEngine } from "./engine-settings.ts";
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
