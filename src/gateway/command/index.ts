// `countersign-gateway` from its command line to its exit code.

import { systemClock } from "../../platform/clock/index.ts";
import { createKubeClient, loadConnection } from "../../platform/kube/index.ts";
import { type ProcessEdge, runCommand, VERSION } from "../../platform/process/index.ts";
import {
  addProcessMetrics,
  type Check,
  createLog,
  createMetrics,
  type Metrics,
  type StatusServer,
  startStatusServer,
} from "../../platform/report/index.ts";
import { untilAborted } from "../../platform/signals/index.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { followMaterial, loadMaterial } from "../material.ts";
import { followTokens, type Tokens } from "../tokens.ts";
import { type CommandLine, HELP, parseCommandLine } from "./command-line.ts";

export function runGatewayCommand(args: readonly string[], edge: ProcessEdge): Promise<number> {
  return runCommand("countersign-gateway", edge, async () => {
    const line = parseCommandLine(args);
    if (line === "help") return edge.stdout.write(HELP);
    if (line === "version") return edge.stdout.write(`countersign-gateway ${VERSION}\n`);
    await runGateway(line, edge);
  });
}

async function runGateway(line: CommandLine, edge: ProcessEdge): Promise<void> {
  const log = await createLog({ level: line.logLevel });
  const material = await loadMaterial(line.files);
  const client = createKubeClient(await loadConnection(line.kubeconfig, { env: edge.env, log }));
  const clock = systemClock;
  const metrics = createMetrics();
  addProcessMetrics(metrics, clock.now());
  const tokens = followTokens(client, { clock, log, random: Math.random });
  const { address, backend, webhook } = line;
  let gateway: Gateway | undefined;
  let status: StatusServer | undefined;
  try {
    gateway = await startGateway({ address, backend, webhook, material, tokens, clock, log, metrics });
    status = await startStatus(line, { metrics, tokens, stop: edge.stop });
    log.info("gateway listens", { port: gateway.port, webhookPort: gateway.webhookPort, backend: backend.origin });
    const { use } = gateway;
    const following = { clock, log, signal: edge.stop, use };
    await Promise.all([tokens.run(edge.stop), followMaterial(line.files, following), untilAborted(edge.stop)]);
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
