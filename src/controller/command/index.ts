// `node-attestation-controller` from its command line to its exit code.

import { createKubeClient, loadConnection } from "../../platform/kube/index.ts";
import { type ProcessEdge, runCommand, VERSION } from "../../platform/process/index.ts";
import { createLog } from "../../platform/report/index.ts";
import { HELP, parseCommandLine } from "./command-line.ts";
import { runController } from "./run-controller.ts";

export function runControllerCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  return runCommand("node-attestation-controller", edge, async () => {
    const line = parseCommandLine(args);
    if (line === "help") return edge.stdout.write(HELP);
    if (line === "version") return edge.stdout.write(`node-attestation-controller ${VERSION}\n`);
    const log = await createLog({ level: line.logLevel });
    const client = createKubeClient(await loadConnection(line.kubeconfig, { env: edge.env, log }));
    try {
      await runController(line, { edge, client, log });
    } finally {
      await client.close();
    }
  });
}
