// `node-attestation-controller` from its command line to its exit code.

import { hostname } from "node:os";
import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { nodeFileSystem } from "../../platform/files/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import {
  createKubeClient,
  type KubeClient,
  loadInClusterConnection,
  loadKubeconfigConnection,
} from "../../platform/kube/index.ts";
import type { ProcessEdge } from "../../platform/process/index.ts";
import { createLog, type Log } from "../../platform/report/index.ts";
import { createController } from "../controller.ts";
import { type CommandLine, HELP, parseCommandLine } from "./command-line.ts";

/** As sysexits has them: a wrong command line or file, and an end that nobody asked for. */
const EXIT_CONFIG = 78;
const EXIT_SOFTWARE = 70;

export async function runControllerCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  try {
    const line = parseCommandLine(args);
    if (line === "help") {
      edge.stdout.write(HELP);
      return 0;
    }
    await runController(line, edge);
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    edge.stderr.write(`node-attestation-controller: ${error.message}\n`);
    return exitCodeOf(error);
  }
}

async function runController(line: CommandLine, edge: ProcessEdge): Promise<void> {
  const [certPem, keyPem] = await Promise.all([loadText(line.caCert), loadText(line.caKey)]);
  const log = await createLog({ level: line.logLevel });
  const client = await openClient(line, edge, log);
  try {
    const controller = createController({
      client,
      ca: { certPem, keyPem },
      clock: systemClock,
      random: randomBytes,
      log,
      identity: hostname(),
      allowInsecure: line.allowInsecure,
      lifetimeMs: line.lifetimeMs,
    });
    log.info("controller starts", { signers: controller.signers });
    await controller.run(edge.stop);
    log.info("controller stopped");
  } finally {
    await client.close();
  }
}

async function openClient({ kubeconfig }: CommandLine, { env }: ProcessEdge, log: Log): Promise<KubeClient> {
  const connection = await (kubeconfig === undefined
    ? loadInClusterConnection({ env, log })
    : loadKubeconfigConnection(kubeconfig, { log }));
  return createKubeClient(connection);
}

async function loadText(path: string): Promise<string> {
  return (await nodeFileSystem.read(path)).toString("utf8");
}

const CONFIG_FAULTS: ReadonlySet<Fault["code"]> = new Set(["bad-config", "not-found", "malformed", "unsupported"]);

function exitCodeOf({ code }: Fault): number {
  return CONFIG_FAULTS.has(code) ? EXIT_CONFIG : EXIT_SOFTWARE;
}
