// `node-attestation-controller` from its command line to its exit code.

import { type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import {
  createKubeClient,
  type KubeClient,
  loadInClusterConnection,
  loadKubeconfigConnection,
} from "../../platform/kube/index.ts";
import type { ProcessEdge } from "../../platform/process/index.ts";
import { createLog, type Log } from "../../platform/report/index.ts";
import { type CommandLine, HELP, parseCommandLine } from "./command-line.ts";
import { runController } from "./run-controller.ts";

/** As sysexits has them: a wrong command line or file, a replica that shall be started anew, an end that nobody asked for. */
const EXIT_CONFIG = 78;
const EXIT_AGAIN = 75;
const EXIT_SOFTWARE = 70;

export async function runControllerCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  try {
    const line = parseCommandLine(args);
    if (line === "help") {
      edge.stdout.write(HELP);
      return 0;
    }
    const log = await createLog({ level: line.logLevel });
    const client = await openClient(line, edge, log);
    try {
      await runController(line, { edge, client, log });
    } finally {
      await client.close();
    }
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    edge.stderr.write(`node-attestation-controller: ${error.message}\n`);
    return EXIT_CODES[error.code] ?? EXIT_SOFTWARE;
  }
}

async function openClient({ kubeconfig }: CommandLine, { env }: ProcessEdge, log: Log): Promise<KubeClient> {
  const connection = await (kubeconfig === undefined
    ? loadInClusterConnection({ env, log })
    : loadKubeconfigConnection(kubeconfig, { log, env }));
  return createKubeClient(connection);
}

const EXIT_CODES: Readonly<Partial<Record<FaultCode, number>>> = {
  "bad-config": EXIT_CONFIG,
  "not-found": EXIT_CONFIG,
  malformed: EXIT_CONFIG,
  unsupported: EXIT_CONFIG,
  locked: EXIT_AGAIN,
};
