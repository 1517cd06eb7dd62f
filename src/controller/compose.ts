// The composition root: the features, what they share, and the one line by which a feature is part of the controller.
// Every replica follows the cluster; the loops run in the one that leads. Nothing here outlives a restart.

import { Fault } from "../kernel/outcome/index.ts";
import { createWorkQueue } from "../platform/kube/index.ts";
import { runTogether } from "../platform/signals/index.ts";
import { auditLog, createAnchor, createRevocationAudit } from "./audit/index.ts";
import { createCleaning } from "./cleaning/index.ts";
import { createClusterInfoSigner, createTokenCleaner, type LocationSource } from "./clusterinfo/index.ts";
import { createUpkeep } from "./identities/upkeep.ts";
import { createInformers, type Informers } from "./informers.ts";
import { createJudging } from "./judging/index.ts";
import { type Duties, lead, type RunningFeature, untilSynced } from "./lead.ts";
import { createLeadership, type Leadership } from "./leadership.ts";
import { createLoopMetrics, type Feature } from "./loop/index.ts";
import type { WorldOptions } from "./options.ts";
import { createLockdownWatch, createPolicyAudit } from "./policy/index.ts";
import { servedSigners } from "./signers.ts";
import { type Authorities, createSigning, fixedAuthority } from "./signing/index.ts";
import { createWorld, signingBounds, type World } from "./world.ts";

/**
 * Every loop, by the name that `--controllers` has for it. A new one is a folder that exports a Feature, and a line
 * here.
 */
const FEATURES = {
  approving: createJudging,
  signing: (world: World) => createSigning({ ...world, ...signingBounds(world) }),
  cleaning: createCleaning,
  "cluster-info": createClusterInfoSigner,
  "token-cleaning": createTokenCleaner,
  lockdown: createLockdownWatch,
  attestation: createUpkeep,
} satisfies Record<string, (world: World) => Feature>;

export type ControllerName = keyof typeof FEATURES;
export const CONTROLLER_NAMES = Object.keys(FEATURES) as readonly ControllerName[];

export interface ControllerOptions extends WorldOptions {
  /** Which loops run. Default: all. */
  readonly controllers?: readonly ControllerName[] | undefined;
}

export interface Controller {
  /** The signers that are served. */
  readonly signers: readonly string[];
  /** Resolves once requests and Nodes are known. Fault `aborted` when the signal fires first. */
  waitUntilReady(signal?: AbortSignal): Promise<void>;
  state(): ControllerState;
  /** Runs until the signal aborts and the work in hand is done. Fault `locked` when another replica took over. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ControllerState {
  readonly isLeading: boolean;
  readonly holder: string;
  /** What is not complete yet, by name. */
  readonly unsynced: readonly string[];
}

export function createController(options: ControllerOptions): Controller {
  const parts = compose(options);
  const { informers, leadership, duties } = parts;
  return {
    signers: parts.signers,
    waitUntilReady: (signal) => untilSynced([informers.csrs, informers.nodes], signal),
    state: () => ({
      isLeading: leadership.isLeading(),
      holder: leadership.holder(),
      unsynced: [
        ...duties.features.flatMap(({ name, needs }) => (needs.every((one) => one.hasSynced()) ? [] : [name])),
        ...(options.attestation?.management === undefined ? [] : unsyncedInManagement(informers)),
      ],
    }),
    run: (signal) => runAll(parts, signal),
  };
}

/**
 * Requests are judged without them where no policy asks; but a replica that cannot reach its management cluster is not
 * ready.
 */
function unsyncedInManagement({ machines, pools, identities }: Informers): readonly string[] {
  return [
    ...(machines.hasSynced() ? [] : ["Machines of the management cluster"]),
    ...(pools.hasSynced() ? [] : ["MachinePools of the management cluster"]),
    ...(identities.hasSynced() ? [] : ["NodeIdentities of the management cluster"]),
  ];
}

interface Parts {
  readonly signers: readonly string[];
  readonly authorities: Authorities;
  readonly informers: Informers;
  readonly leadership: Leadership;
  readonly duties: Duties;
  readonly location: LocationSource | undefined;
}

/** Every part, and nothing of it started. */
export function compose(options: ControllerOptions): Parts {
  const { clock, replica, election, audit, cluster, clusterInfo: location } = options;
  const providers = options.attestation?.verifiers?.map(({ name }) => name);
  const signers = options.signers ?? servedSigners({ allowInsecure: options.allowInsecure === true, providers });
  const random = createFraction(options.random);
  const log = audit === undefined ? options.log : auditLog(options.log, audit.trail);
  const authorities = "of" in options.ca ? options.ca : fixedAuthority(options.ca);
  const management = options.attestation?.management;
  const informers = createInformers(options.client, { clock, log, random }, { signers, management, cluster });
  const leadership = createLeadership({ client: options.client, clock, random, log, replica, election });
  const world = createWorld(options, { informers, leadership, log, authorities, servedSigners: signers });
  const chosen = options.controllers ?? CONTROLLER_NAMES;
  const features = startFeatures(world, random).filter(({ name }) => chosen.some((one) => one === name));
  const { client } = leadership;
  const anchor = audit === undefined ? undefined : createAnchor({ client, clock, log, replica, ...audit });
  const catchUp = async (signal: AbortSignal) => {
    if (election !== undefined) await informers.csrs.refresh(signal);
  };
  const revocations = createRevocationAudit({ log, identities: informers.identities });
  const policyChanges = createPolicyAudit({ log, policies: informers.policies });
  const duties = { features, anchor, revocations, policyChanges, log, catchUp };
  return { signers, authorities, informers, leadership, duties, location };
}

/** A join waits for its certificate: after an outage, none should wait longer than this for the next try. */
const QUEUE_LIMITS = { baseMs: 100, maxMs: 30_000 };

function startFeatures(world: World, random: () => number): readonly RunningFeature[] {
  const { clock, log, metrics } = world;
  const loopMetrics = createLoopMetrics(metrics);
  const features = CONTROLLER_NAMES.map((name) => {
    const { needs, wakesOn, flow, workers = 1, ...feature } = FEATURES[name](world);
    const queue = createWorkQueue({ clock, random, limits: QUEUE_LIMITS, ...flow });
    wakesOn(queue.add);
    return { name, needs, loop: { ...feature, queue, workers, log, random, metrics: loopMetrics } };
  });
  metrics.reading({ name: "countersign_loop_queue_depth", help: "Items that wait for a loop.", type: "gauge" }, () =>
    features.map(({ loop: { name, queue } }) => [{ loop: name }, queue.size()] as const),
  );
  return features;
}

/** If one part ends by itself it has met a bug, or lost the lease; then all end, and the caller hears of it. */
async function runAll(
  { informers, authorities, leadership, duties, location }: Parts,
  signal: AbortSignal,
): Promise<void> {
  try {
    await runTogether(signal, (either) => [
      ...Object.values(informers).map((informer) => informer.run(either)),
      authorities.run?.(either) ?? Promise.resolve(),
      location?.run(either) ?? Promise.resolve(),
      leadership.run((term) => lead(duties, term), either),
    ]);
  } finally {
    for (const { loop } of duties.features) loop.queue.close();
  }
}

/** In [0, 1), from four random bytes. */
function createFraction(randomBytes: (count: number) => Uint8Array): () => number {
  return () => randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
}

/** Fault `bad-config` for a name that does not exist, or for none left. Where a word stands does not matter. */
export function chooseControllers(text: string): readonly ControllerName[] {
  const words = new Set(text.split(",").map((word) => word.trim()));
  for (const word of words) requireKnown(word);
  const chosen = CONTROLLER_NAMES.filter((name) => (words.has("*") || words.has(name)) && !words.has(`-${name}`));
  if (chosen.length === 0) throw new Fault("bad-config", "--controllers leaves no controller to run");
  return chosen;
}

function requireKnown(word: string): void {
  const isKnown = word === "*" || CONTROLLER_NAMES.some((name) => word === name || word === `-${name}`);
  if (isKnown) return;
  const all = CONTROLLER_NAMES.join(", ");
  throw new Fault("bad-config", `--controllers names ${JSON.stringify(word)}; there are ${all}, and * for all`);
}
