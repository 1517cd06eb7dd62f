// The loops and what each is made of: approval, signing, cleaning and the cluster-info signer, on queues that requesters share
// in turn.

import { TOKEN_NAMESPACE } from "../api/bootstrap/index.ts";
import { createWorkQueue, type FlowOptions } from "../platform/kube/index.ts";
import { UPKEEP_KEY } from "./attestation/index.ts";
import { CLEANING_KEY, createCleaning, createFloodGuard, type FloodGuard } from "./cleaning/index.ts";
import {
  CLUSTER_INFO_NAME,
  createClusterInfoSigner,
  createTokenCleaner,
  type LocationSource,
} from "./clusterinfo/index.ts";
import { createDecisions, type DecisionWorld } from "./decisions.ts";
import type { Feature } from "./features.ts";
import { PENDING_BY_REQUESTER } from "./informers.ts";
import { createLoopMetrics } from "./loop/index.ts";
import { createLockdownWatch, LOCKDOWN_KEY } from "./policy/index.ts";
import { wire } from "./wiring.ts";

export interface LoopWorld extends DecisionWorld {
  /** Where cluster-info shall say the cluster is. Left out: what it says is somebody else's. */
  readonly clusterInfo?: LocationSource | undefined;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Waiting for the API server takes most of the time of a request. kube-controller-manager has five workers. A server that is asked
 * little at a time works more for each answer: with 16 requests in flight kube-apiserver and etcd took a fifth more of a core for a
 * join than with 32, with 64 no less. Together the two loops stay below the connections of the client, so that none waits for one.
 */
const WORKERS = 20;
/** A join waits for its certificate: after an outage, nobody should wait longer than this for the next try. */
const QUEUE_LIMITS = { baseMs: 100, maxMs: 30_000 };

type Queues = ReturnType<typeof createQueues>;

function createQueues(world: LoopWorld) {
  const { clock, informers, random } = world;
  const flood = createFlood(world);
  const flows = { flowOf: (name: string) => informers.csrs.get(name)?.spec.username ?? "" };
  const createQueue = (more: FlowOptions = {}) => createWorkQueue({ clock, random, limits: QUEUE_LIMITS, ...more });
  return {
    approval: createQueue({ ...flows, holdMs: flood.holdMs, onTake: flood.onTake }),
    signing: createQueue(flows),
    cleaning: createQueue(),
    clusterInfo: createQueue(),
    tokens: createQueue(),
    lockdown: createQueue(),
    attestation: createQueue(),
  };
}

export function createLoops(world: LoopWorld): readonly Feature[] {
  const queues = createQueues(world);
  const { claims, pending, approval, signing, upkeep } = createDecisions(world);
  const { informers, authorities } = world;
  wire({ informers, queues, authorities, claims, pending, approval, signing });
  queues.cleaning.add(CLEANING_KEY);
  queues.lockdown.add(LOCKDOWN_KEY);
  queues.attestation.add(UPKEEP_KEY);
  queues.clusterInfo.add(CLUSTER_INFO_NAME);
  world.clusterInfo?.onChange(() => queues.clusterInfo.add(CLUSTER_INFO_NAME));
  return createFeatures(world, queues, { approval, signing, upkeep });
}

type Deciders = Pick<ReturnType<typeof createDecisions>, "approval" | "signing" | "upkeep">;

function createFeatures(world: LoopWorld, queues: Queues, deciders: Deciders): readonly Feature[] {
  const { log, informers, metrics, random } = world;
  const { approval, signing, upkeep } = deciders;
  const loop = { workers: WORKERS, log, random, metrics: createLoopMetrics(metrics) };
  const periodic = { ...loop, workers: 1, isPeriodic: true };
  const { csrs, nodes, clusterInfo, tokens } = informers;
  const features: readonly Feature[] = [
    {
      name: "approving",
      needs: [csrs, nodes, informers.policies],
      loop: { ...loop, name: "approval", queue: queues.approval, handle: approval.handle },
    },
    {
      name: "signing",
      // A policy bounds the life of what is signed: one that is not known yet would bound nothing.
      needs: [csrs, nodes, informers.policies],
      loop: { ...loop, name: "signing", queue: queues.signing, handle: signing.handle },
    },
    {
      name: "cleaning",
      needs: [csrs],
      loop: { ...periodic, name: "cleaning", queue: queues.cleaning, handle: createCleaner(world) },
    },
    {
      name: "cluster-info",
      needs: [clusterInfo, tokens],
      loop: { ...loop, workers: 1, name: "cluster-info", queue: queues.clusterInfo, handle: createInfoSigner(world) },
    },
    {
      name: "token-cleaning",
      needs: [tokens],
      loop: { ...loop, workers: 1, name: "token-cleaning", queue: queues.tokens, handle: createTokenEnd(world) },
    },
    {
      name: "lockdown",
      needs: [informers.policies],
      loop: { ...periodic, name: "lockdown", queue: queues.lockdown, handle: createLockdown(world) },
    },
    {
      name: "attestation",
      needs: [csrs, nodes, informers.policies],
      loop: { ...periodic, name: "attestation", queue: queues.attestation, handle: upkeep },
    },
  ];
  metrics.reading({ name: "countersign_loop_queue_depth", help: "Items that wait for a loop.", type: "gauge" }, () =>
    features.map(({ loop: { name, queue } }) => [{ loop: name }, queue.size()] as const),
  );
  return features;
}

function createLockdown({ client, clock, log, metrics, informers }: LoopWorld) {
  return createLockdownWatch({ client, clock, log, metrics, policies: informers.policies }).handle;
}

function createFlood({ clock, log, informers, metrics }: LoopWorld): FloodGuard {
  const guard = createFloodGuard({
    clock,
    log,
    pendingOf: (requester) => informers.csrs.countByIndex(PENDING_BY_REQUESTER, requester),
  });
  const help = "Undecided requests of a requester who has so many that they are served slowly.";
  metrics.reading({ name: "countersign_flooding_requester_pending", help, type: "gauge" }, guard.readings);
  return guard;
}

function createCleaner({ client, clock, log, metrics, informers }: LoopWorld) {
  const removed = metrics.counter({
    name: "countersign_requests_removed_total",
    help: "Certificate requests that were deleted because they are over, by case.",
  });
  return createCleaning({ client, clock, log, removed, listCsrs: informers.csrs.list });
}

function createTokenEnd({ client, clock, log, informers }: LoopWorld) {
  return createTokenCleaner({ client, clock, log, getToken: (name) => informers.tokens.get(name, TOKEN_NAMESPACE) });
}

function createInfoSigner({ client, clock, log, informers, clusterInfo }: LoopWorld) {
  return createClusterInfoSigner({
    location: clusterInfo?.current,
    client,
    clock,
    log,
    getConfigMap: () => informers.clusterInfo.list().find(({ metadata }) => metadata.name === CLUSTER_INFO_NAME),
    listTokens: () => informers.tokens.list(),
  });
}
