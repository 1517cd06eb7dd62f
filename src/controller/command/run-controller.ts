// The controller with everything a process of it has: the CA from where it lies, the lease, the audit trail, probes,
// metrics.

import { hostname } from "node:os";
import { loadSdkKeySources, loadSdkVerifiers } from "../../attestation/sdk/verifier.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { systemClock, systemMonotonicMs } from "../../platform/clock/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { ProcessEdge } from "../../platform/process/index.ts";
import {
  addProcessMetrics,
  createMetrics,
  type Log,
  type Metrics,
  openLineFile,
  startStatusServer,
} from "../../platform/report/index.ts";
import { createAuditTrail, type LineSink } from "../audit/index.ts";
import { loadLocation } from "../clusterinfo/index.ts";
import { createController } from "../compose.ts";
import { requireOneCluster } from "../identities/registration.ts";
import type { CommandLine } from "./command-line.ts";
import { openAuthority } from "./open-authority.ts";
import { addLeaderMetric, type Probed, readinessChecks } from "./readiness.ts";

interface Surroundings {
  readonly edge: ProcessEdge;
  readonly client: KubeClient;
  /** Left out: there is one cluster. */
  readonly management?: KubeClient | undefined;
  /** Of the API server of the requests. */
  readonly server: string;
  readonly log: Log;
}

export async function runController(line: CommandLine, surroundings: Surroundings): Promise<void> {
  const { edge, client, management, server, log } = surroundings;
  const metrics = createMetrics();
  addProcessMetrics(metrics, systemClock.now());
  const sink = openSink(line.auditLog, edge);
  // Two lives of one host are two replicas: an old lease must not look like our own.
  const replica = `${hostname()}_${encodeHex(randomBytes(8))}`;
  const trail = createAuditTrail({ clock: systemClock, replica, chain: encodeHex(randomBytes(8)), sink });
  if (line.cluster !== undefined) await requireOneCluster(management ?? client, { cluster: line.cluster, log });
  const { ca, isTrustedElsewhere } = line;
  const place = { client, management: management ?? client, signers: line.signers, isTrustedElsewhere, log };
  const authorities = await openAuthority(ca, place);
  const controller = createController({
    ...{ client, log, replica, metrics },
    ca: authorities,
    clock: systemClock,
    random: randomBytes,
    controllers: line.controllers,
    signers: line.signers,
    allowInsecure: line.allowInsecure,
    cluster: line.cluster,
    server,
    attestation: {
      management,
      clusterIds: line.evidenceClusters,
      verifiers: await loadSdkVerifiers(line.providerPackages),
      endorsementKeySources: await loadSdkKeySources(line.endorsementKeySources),
    },
    disabledRules: line.disabledRules,
    lifetimeMs: line.lifetimeMs,
    clusterInfo:
      line.clusterInfo === undefined ? undefined : await loadLocation(line.clusterInfo, { clock: systemClock, log }),
    election: line.election === undefined ? undefined : { ...line.election, monotonicMs: systemMonotonicMs },
    audit: { trail, namespace: line.namespace },
  });
  const { signers } = controller;
  log.info("controller starts", { identity: replica, signers, controllers: line.controllers });
  try {
    await serveWhile({ line, metrics, controller, authorities, trail, log }, () => controller.run(edge.stop));
    log.info("controller stopped");
  } finally {
    await sink.close();
  }
}

interface Served extends Probed {
  readonly line: CommandLine;
  readonly metrics: Metrics;
  readonly log: Log;
}

async function serveWhile({ line, metrics, log, ...probed }: Served, work: () => Promise<void>): Promise<void> {
  addLeaderMetric(metrics, probed.controller);
  const { statusAddress } = line;
  if (statusAddress === undefined) return work();
  const ready = readinessChecks(probed);
  const server = await startStatusServer({ ...statusAddress, metrics, ready });
  log.info("metrics and probes are served", { host: statusAddress.host, port: server.port });
  try {
    await work();
  } finally {
    await server.close();
  }
}

function openSink(path: string, { stdout }: ProcessEdge): LineSink & { close(): Promise<void> } {
  if (path !== "-") return openLineFile(path);
  return {
    append: (line) => stdout.write(`${line}\n`),
    sync: async () => undefined,
    close: async () => undefined,
  };
}
