// The controller: approval, signing and the cluster-info signer on shared informers, in one process, until it is told to
// stop. It holds no state of its own that a restart would lose.

import { isFault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { createWorkQueue, type Informer, type KubeClient } from "../platform/kube/index.ts";
import type { Log } from "../platform/report/index.ts";
import { createApproval, createClaims, createPending } from "./approval/index.ts";
import { CLUSTER_INFO_NAME, createClusterInfoSigner } from "./clusterinfo/index.ts";
import { createInformers, type Informers } from "./informers.ts";
import { type Loop, runLoop } from "./loop/index.ts";
import { defaultLifetimeMs, servedClientSigners } from "./signers.ts";
import { type AuthorityPems, createAuthority, createSigning } from "./signing/index.ts";
import { wire } from "./wiring.ts";

export interface ControllerOptions {
  readonly client: KubeClient;
  readonly ca: AuthorityPems;
  readonly clock: Clock;
  /** Cryptographic: serial numbers come from it. */
  readonly random: (count: number) => Uint8Array;
  readonly log: Log;
  /** Which replica this is, for Events. */
  readonly identity: string;
  /** Default: the kubelet client signer, and the insecure one where `allowInsecure` is set. */
  readonly signers?: { readonly client: readonly string[] } | undefined;
  readonly allowInsecure?: boolean | undefined;
  /** The longest life of a certificate. Default: a year for Kubernetes' own signers, a day for ours. */
  readonly lifetimeMs?: number | undefined;
}

export interface Controller {
  /** The signers that are served. */
  readonly signers: readonly string[];
  /** Resolves once requests are judged. Fault `aborted` when the signal fires first. */
  waitUntilReady(signal?: AbortSignal): Promise<void>;
  /** Runs until the signal aborts and the work in hand is done. */
  run(signal: AbortSignal): Promise<void>;
}

/** Waiting for the API server takes most of the time of a request: five at once is what kube-controller-manager does. */
const WORKERS = 5;
/** A join waits for its certificate: after an outage, nobody should wait longer than this for the next try. */
const QUEUE_LIMITS = { baseMs: 100, maxMs: 30_000 };

export function createController(options: ControllerOptions): Controller {
  const signers = options.signers?.client ?? servedClientSigners({ allowInsecure: options.allowInsecure === true });
  const random = createFraction(options.random);
  const informers = createInformers(options.client, { clock: options.clock, log: options.log, random });
  const loops = createLoops(options, { informers, signers, random });
  return {
    signers,
    waitUntilReady: (signal) => untilSynced([informers.csrs, informers.nodes], signal),
    run: (signal) => runAll(informers, loops, signal),
  };
}

interface Parts {
  readonly informers: Informers;
  readonly signers: readonly string[];
  readonly random: () => number;
}

interface Loops {
  readonly csrLoops: readonly Loop[];
  readonly clusterInfoLoop: Loop;
}

function createLoops(options: ControllerOptions, { informers, signers, random }: Parts): Loops {
  const { client, clock, log, identity, lifetimeMs } = options;
  const createQueue = () => createWorkQueue({ clock, random, limits: QUEUE_LIMITS });
  const queues = { approval: createQueue(), signing: createQueue(), clusterInfo: createQueue() };
  const claims = createClaims();
  const pending = createPending();
  const getCsr = (name: string) => informers.csrs.get(name);
  const hasSynced = () => informers.csrs.hasSynced() && informers.nodes.hasSynced();
  const world = { client, clock, log, getCsr, servedSigners: signers };
  const approval = createApproval({ ...world, identity, claims, pending, hasSynced });
  const signing = createSigning({
    ...world,
    randomBytes: options.random,
    authority: createAuthority(options.ca),
    lifetimeMsOf: (signerName) => lifetimeMs ?? defaultLifetimeMs(signerName),
  });
  const signClusterInfo = createClusterInfoSigner({
    client,
    clock,
    log,
    getConfigMap: () => informers.clusterInfo.list().find(({ metadata }) => metadata.name === CLUSTER_INFO_NAME),
    listTokens: () => informers.tokens.list(),
  });
  wire({ informers, queues, claims, pending, approval, signing });
  const common = { workers: WORKERS, log, random };
  return {
    csrLoops: [
      { ...common, name: "approval", queue: queues.approval, handle: approval.handle },
      { ...common, name: "signing", queue: queues.signing, handle: signing.handle },
    ],
    clusterInfoLoop: {
      ...common,
      workers: 1,
      name: "cluster-info",
      queue: queues.clusterInfo,
      handle: signClusterInfo,
    },
  };
}

/** If one part ends by itself it has met a bug; then all end, and the caller hears of it. */
async function runAll(informers: Informers, { csrLoops, clusterInfoLoop }: Loops, signal: AbortSignal): Promise<void> {
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  const { csrs, nodes, clusterInfo, tokens } = informers;
  const parts = [
    ...[csrs, nodes, clusterInfo, tokens].map((informer) => informer.run(either)),
    ...csrLoops.map((loop) => runAfterSync(loop, [csrs, nodes], either)),
    runAfterSync(clusterInfoLoop, [clusterInfo, tokens], either),
  ];
  try {
    await Promise.all(parts);
  } finally {
    broken.abort();
    await Promise.allSettled(parts);
    for (const { queue } of [...csrLoops, clusterInfoLoop]) queue.close();
  }
}

/** A loop starts when its own informers are complete: without rights in kube-public, requests are judged all the same. */
async function runAfterSync(loop: Loop, informers: readonly Syncing[], signal: AbortSignal): Promise<void> {
  try {
    await untilSynced(informers, signal);
  } catch (error) {
    if (isFault(error, "aborted")) return;
    throw error;
  }
  loop.log.info("loop started", { loop: loop.name, workers: loop.workers });
  await runLoop(loop, signal);
}

type Syncing = Pick<Informer, "waitForSync">;

async function untilSynced(informers: readonly Syncing[], signal?: AbortSignal): Promise<void> {
  await Promise.all(informers.map((informer) => informer.waitForSync(signal)));
}

/** In [0, 1), from four random bytes. */
function createFraction(randomBytes: (count: number) => Uint8Array): () => number {
  return () => randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
}
