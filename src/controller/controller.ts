// The controller: its loops on shared informers, in one process, until it is told to stop. Every replica follows the cluster;
// the loops run in the one that leads. It holds no state of its own that a restart would lose.

import { CSRS } from "../api/meta/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";
import { createMetrics, type Log, type Metrics } from "../platform/report/index.ts";
import { runTogether } from "../platform/signals/index.ts";
import { requireStricter } from "./approval/index.ts";
import type { AttestationSettings } from "./attesting.ts";
import { type AuditTrail, auditLog, createAnchor, createRevocationAudit } from "./audit/index.ts";
import type { LocationSource } from "./clusterinfo/index.ts";
import { CONTROLLER_NAMES, type ControllerName, type Feature } from "./features.ts";
import { createInformers, type Informers } from "./informers.ts";
import { type Duties, lead, untilSynced } from "./lead.ts";
import { createLeadership, type ElectionOptions, type Leadership } from "./leadership.ts";
import { createLoops } from "./loops.ts";
import type { ClusterName } from "./machines/index.ts";
import { showOwnAnswers } from "./own-answers.ts";
import { createPolicyAudit } from "./policy/index.ts";
import { servedSigners } from "./signers.ts";
import { type Authorities, type AuthorityPems, fixedAuthority } from "./signing/index.ts";

export interface ControllerOptions {
  readonly client: KubeClient;
  /** One CA for all requests, or whatever says which one signs. */
  readonly ca: AuthorityPems | Authorities;
  readonly clock: Clock;
  /** Cryptographic: serial numbers come from it. */
  readonly random: (count: number) => Uint8Array;
  readonly log: Log;
  /** Which replica this is, for Events and the lease. */
  readonly identity: string;
  /** Which loops run. Default: all. */
  readonly controllers?: readonly ControllerName[] | undefined;
  /**
   * Default: Kubernetes' own for nodes and API clients, those of the TPM provider and of the installed ones, and the insecure
   * one where `allowInsecure` is set.
   */
  readonly signers?: readonly string[] | undefined;
  /** Without `signers`. */
  readonly allowInsecure?: boolean | undefined;
  /** The longest life of a certificate. Default: a year for Kubernetes' own signers, a day for ours. */
  readonly lifetimeMs?: number | undefined;
  /** `home` is the management cluster, where there is one: Machines are read there too. */
  readonly attestation?: AttestationSettings | undefined;
  /** Which cluster's requests these are: Machines and identities of others never match. Left out: there is only one. */
  readonly cluster?: ClusterName | undefined;
  /** URL of the API server of the requests: its host is no node's to serve under. Left out: only what it says of itself. */
  readonly server?: string | undefined;
  /** Where cluster-info shall say the cluster is. Left out: only its signatures are ours. */
  readonly clusterInfo?: LocationSource | undefined;
  /** Ids of stricter rules that do not hold here (docs/rules.md). Fault `bad-config` for any other. */
  readonly disabledRules?: readonly string[] | undefined;
  /** Left out: there is no other replica. */
  readonly election?: ElectionOptions | undefined;
  readonly metrics?: Metrics | undefined;
  /** Left out: what is decided goes to the log only. */
  readonly audit?: { readonly trail: AuditTrail; readonly namespace: string } | undefined;
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
  const parts = assemble(options);
  const { informers, leadership, features } = parts;
  return {
    signers: parts.signers,
    waitUntilReady: (signal) => untilSynced([informers.csrs, informers.nodes], signal),
    state: () => ({
      isLeading: leadership.isLeading(),
      holder: leadership.holder(),
      unsynced: [
        ...features.flatMap(({ name, needs }) => (needs.every((one) => one.hasSynced()) ? [] : [name])),
        ...(options.attestation?.home === undefined ? [] : unsyncedAtHome(informers)),
      ],
    }),
    run: (signal) => runAll(parts, signal),
  };
}

/** Requests are judged without them where no policy asks; but a replica that cannot reach its management cluster is not ready. */
function unsyncedAtHome({ machines, pools, identities }: Informers): readonly string[] {
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
  readonly features: readonly Feature[];
  readonly duties: Duties;
  readonly clusterInfo: LocationSource | undefined;
}

function assemble(options: ControllerOptions): Parts {
  const { client, clock, identity, election, audit } = options;
  const providers = options.attestation?.verifiers?.map(({ name }) => name);
  const signers = options.signers ?? servedSigners({ allowInsecure: options.allowInsecure === true, providers });
  const random = createFraction(options.random);
  const log = audit === undefined ? options.log : auditLog(options.log, audit.trail);
  const authorities = "of" in options.ca ? options.ca : fixedAuthority(options.ca);
  const home = options.attestation?.home;
  const informers = createInformers(client, { clock, log, random }, { signers, home, cluster: options.cluster });
  const leadership = createLeadership({ client, clock, random, log, identity, election });
  const chosen = options.controllers ?? CONTROLLER_NAMES;
  const features = createLoops({
    ...{ clock, log, identity, informers, authorities, signers, random },
    client: showOwnAnswers(leadership.client, CSRS, informers.csrs),
    server: options.server,
    lifetimeMs: options.lifetimeMs,
    attestation: {
      ...{ namespace: audit?.namespace, clusterName: options.cluster?.name },
      ...{ clusterNamespace: options.cluster?.namespace, ...options.attestation },
      home: home === undefined ? undefined : leadership.fence(home),
    },
    switchedOff: requireStricter(options.disabledRules ?? []),
    clusterInfo: options.clusterInfo,
    randomBytes: options.random,
    metrics: options.metrics ?? createMetrics(),
  }).filter(({ name }) => chosen.includes(name));
  const anchor =
    audit === undefined ? undefined : createAnchor({ client: leadership.client, clock, log, identity, ...audit });
  const catchUp = async (signal: AbortSignal) => {
    if (election !== undefined) await informers.csrs.refresh(signal);
  };
  return {
    clusterInfo: options.clusterInfo,
    signers,
    authorities,
    informers,
    leadership,
    features,
    duties: {
      features,
      anchor,
      revocations: createRevocationAudit({ log, identities: informers.identities }),
      policyChanges: createPolicyAudit({ log, policies: informers.policies }),
      log,
      catchUp,
    },
  };
}

/** If one part ends by itself it has met a bug, or lost the lease; then all end, and the caller hears of it. */
async function runAll(
  { informers, authorities, leadership, features, duties, clusterInfo }: Parts,
  signal: AbortSignal,
): Promise<void> {
  try {
    await runTogether(signal, (either) => [
      ...Object.values(informers).map((informer) => informer.run(either)),
      authorities.run?.(either) ?? Promise.resolve(),
      clusterInfo?.run(either) ?? Promise.resolve(),
      leadership.run((term) => lead(duties, term), either),
    ]);
  } finally {
    for (const { loop } of features) loop.queue.close();
  }
}

/** In [0, 1), from four random bytes. */
function createFraction(randomBytes: (count: number) => Uint8Array): () => number {
  return () => randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
}
