// `countersign node run`: keeps a node's client and serving certificates fresh, for kubelets that read them from files.
// Boot sequence, then one manager for each certificate, and a page of numbers beside them.

import { type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import type { Check } from "../../platform/report/index.ts";
import { runTogether } from "../../platform/signals/index.ts";
import {
  type CertificateManager,
  type CertificatePurpose,
  type CertificateStore,
  createCertificateManager,
  createCertificateStore,
  type ManagerEvent,
} from "../certificates/index.ts";
import { type Booted, bootNode, saveKubeconfig } from "./boot.ts";
import { createDiscoveryUpkeep, type DiscoveryUpkeep } from "./discovery-upkeep.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createDaemonMetrics, type DaemonMetrics } from "./metrics.ts";
import type { DaemonOptions } from "./options.ts";
import { startStatusServer } from "./status-server.ts";

/** KEP-266: a start that takes longer ends, and the service manager starts it again; the key is kept. */
const START_LIMIT_MS = 300_000;

interface Stage {
  readonly options: DaemonOptions;
  readonly journal: Journal;
  readonly metrics: DaemonMetrics;
  readonly discovery?: DiscoveryUpkeep | undefined;
}

export async function runNodeDaemon(options: DaemonOptions): Promise<void> {
  const metrics = createDaemonMetrics(options.clock);
  const stage: Stage = { options, metrics, journal: createJournal(options.log, options.verbosity) };
  const store = openStore(stage, "client");
  const booted = await bootNode(options, store, stage.journal);
  const discovery = createUpkeep(stage, booted);
  const client = createClientManager({ ...stage, discovery }, booted, store);
  const serving = createServingManager(stage, booted, client);
  const status = options.status && (await startStatus(stage, client, serving));
  try {
    options.onStarted?.({ port: status?.port });
    await runTogether(options.signal, (either) => [
      client.run(either),
      ...(serving === undefined ? [] : [serving.run(either)]),
      ...(discovery === undefined ? [] : [discovery.run(either)]),
    ]);
  } finally {
    await status?.close();
  }
}

function openStore({ options, journal, metrics }: Stage, purpose: CertificatePurpose): CertificateStore {
  const { certDirectory: directory, clock, sealKeys } = options;
  const { keySeal } = options.provider;
  return createCertificateStore({
    ...{ directory, purpose, clock, keySeal, sealKeys },
    onNotice: (message, about) => {
      journal.notice(message);
      if (about === "moved-aside") metrics.countMovedAside();
    },
  });
}

function createClientManager(stage: Stage, booted: Booted, store: CertificateStore): CertificateManager {
  const { options, journal, metrics } = stage;
  const count = metrics.follow("client", () => manager.current());
  const manager = createCertificateManager({
    store,
    nodeName: options.nodeName,
    signerName: options.signerName,
    ...attestationOf(options),
    access: booted.access,
    clock: options.clock,
    initial: booted.initial,
    isEnabled: options.rotate,
    startLimitMs: options.startLimitMs ?? START_LIMIT_MS,
    onEvent: (event) => {
      journal.event("client", event);
      count(event);
      if (event.kind === "stored") void writeKubeconfig(stage, booted, store);
      if (event.kind === "failed" && LOST.has(event.fault.code)) stage.discovery?.nudge();
    },
  });
  return manager;
}

/** The cluster may be somewhere else, or have other roots. */
const LOST: ReadonlySet<FaultCode> = new Set<FaultCode>(["unavailable", "untrusted", "timeout"]);

function createUpkeep({ options, journal }: Stage, { access }: Booted): DiscoveryUpkeep | undefined {
  if (options.discovery === undefined) return undefined;
  return createDiscoveryUpkeep({
    ...options.discovery,
    clock: options.clock,
    random: Math.random,
    place: () => access,
    move: access.move,
    onMoved: journal.discovery,
    onTrouble: ({ message }) => journal.discovery(message),
  });
}

/** A kubeconfig that cannot be written takes nothing from a certificate that was stored. */
async function writeKubeconfig({ options, journal }: Stage, booted: Booted, store: CertificateStore): Promise<void> {
  try {
    await saveKubeconfig(options.kubeconfig, booted, store.layout.currentPath);
  } catch (error) {
    if (!isFault(error)) throw error;
    journal.notice(`the kubeconfig cannot be written: ${error.message}`);
  }
}

function attestationOf({ provider, providerId, evidenceCluster, recipient }: DaemonOptions) {
  return { provider, providerId, evidenceCluster, recipient };
}

function createServingManager(
  stage: Stage,
  booted: Booted,
  client: CertificateManager,
): CertificateManager | undefined {
  const { options, journal, metrics } = stage;
  if (options.serving === undefined) return undefined;
  const count = metrics.follow("server", () => manager.current());
  const onEvent = (event: ManagerEvent) => {
    journal.event("server", event);
    count(event);
  };
  const manager = createCertificateManager({
    store: openStore(stage, "server"),
    nodeName: options.nodeName,
    signerName: options.serving.signerName,
    ...attestationOf(options),
    access: booted.access,
    clock: options.clock,
    serving: options.serving.names,
    identity: client.current,
    isEnabled: options.rotate,
    onEvent,
  });
  return manager;
}

function startStatus(stage: Stage, client: CertificateManager, serving: CertificateManager | undefined) {
  const { options, metrics } = stage;
  const status = options.status ?? { host: "127.0.0.1", port: 0, tls: false };
  const checks = [
    certificateCheck("client certificate", client),
    ...(serving === undefined ? [] : [certificateCheck("serving certificate", serving)]),
  ];
  return startStatusServer(status, { checks, metrics, serving });
}

function certificateCheck(name: string, manager: CertificateManager): Check {
  return {
    name,
    look: () => {
      const ok = manager.current() !== undefined;
      return { ok, says: ok ? "is valid" : "there is no valid one" };
    },
  };
}
