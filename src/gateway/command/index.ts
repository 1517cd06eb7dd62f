// `countersign-gateway` from its command line to its exit code.

import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import {
  type Connection,
  createKubeClient,
  loadInClusterConnection,
  loadKubeconfigConnection,
} from "../../platform/kube/index.ts";
import type { ProcessEdge } from "../../platform/process/index.ts";
import {
  addProcessMetrics,
  type Check,
  createLog,
  createMetrics,
  type Log,
  type Metrics,
  type StatusServer,
  startStatusServer,
} from "../../platform/report/index.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { followMaterial, loadMaterial } from "../material.ts";
import { followTokens, type Tokens } from "../tokens.ts";
import { type CommandLine, HELP, parseCommandLine } from "./command-line.ts";

/** As sysexits has them: a wrong command line or file, and an end that nobody asked for. */
const EXIT_CONFIG = 78;
const EXIT_SOFTWARE = 70;

export async function runGatewayCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  try {
    const line = parseCommandLine(args);
    if (line === "help") {
      edge.stdout.write(HELP);
      return 0;
    }
    await runGateway(line, edge);
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    edge.stderr.write(`countersign-gateway: ${error.message}\n`);
    return exitCodeOf(error);
  }
}

async function runGateway(line: CommandLine, edge: ProcessEdge): Promise<void> {
  const log = await createLog({ level: line.logLevel });
  const material = await loadMaterial(line.files);
  const client = createKubeClient(await connectionOf(line, edge, log));
  const clock = systemClock;
  const metrics = createMetrics();
  addProcessMetrics(metrics, clock.now());
  const random = () => randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
  const tokens = followTokens(client, { clock, log, random });
  const { address, backend, webhook } = line;
  let gateway: Gateway | undefined;
  let status: StatusServer | undefined;
  try {
    gateway = await startGateway({ address, backend, webhook, material, tokens, clock, log, metrics });
    status = await startStatus(line, { metrics, tokens, stop: edge.stop });
    log.info("gateway listens", { port: gateway.port, webhookPort: gateway.webhookPort, backend: backend.origin });
    const { use } = gateway;
    const following = { clock, log, signal: edge.stop, use };
    await Promise.all([tokens.run(edge.stop), followMaterial(line.files, following), untilStopped(edge.stop)]);
  } finally {
    await gateway?.close();
    await status?.close();
    await client.close();
    log.info("gateway stopped");
  }
}

interface Shown {
  readonly metrics: Metrics;
  readonly tokens: Tokens;
  readonly stop: AbortSignal;
}

async function startStatus(
  { health }: CommandLine,
  { metrics, tokens, stop }: Shown,
): Promise<StatusServer | undefined> {
  if (health === undefined) return undefined;
  const ready: readonly Check[] = [
    {
      name: "tokens",
      look: () => (tokens.hasSynced() ? { ok: true, says: "read" } : { ok: false, says: "not read yet" }),
    },
    { name: "running", look: () => (stop.aborted ? { ok: false, says: "shutting down" } : { ok: true, says: "yes" }) },
  ];
  return await startStatusServer({ ...health, metrics, ready });
}

function connectionOf({ kubeconfig }: CommandLine, { env }: ProcessEdge, log: Log): Promise<Connection> {
  return kubeconfig === undefined
    ? loadInClusterConnection({ env, log })
    : loadKubeconfigConnection(kubeconfig, { log });
}

async function untilStopped(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
}

const CONFIG_FAULTS: ReadonlySet<Fault["code"]> = new Set(["bad-config", "not-found", "malformed", "unsupported"]);

function exitCodeOf({ code }: Fault): number {
  return CONFIG_FAULTS.has(code) ? EXIT_CONFIG : EXIT_SOFTWARE;
}
