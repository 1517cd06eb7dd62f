// Kinds that may not be served: our own before their definitions are applied, Cluster API's where there is none.
// Discovery says which of several versions there is; a kind that appears later is followed from then on. Until
// discovery has answered once, it is not known, and that is a state of its own.

import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { ChangeHandler, Informer, KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { onAbort } from "../../platform/signals/index.ts";
import { listServed } from "./discovery.ts";

interface FollowerOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Versions of one kind, better ones first. */
  readonly candidates: readonly Resource[];
  readonly createInformer: (resource: Resource) => Informer<T>;
  /** How soon a new definition is noticed. Default: ten seconds, one small GET each. */
  readonly lookAgainMs?: number | undefined;
}

export interface Follower<T extends KubeObject> {
  /** The informer, where one of the candidates is served. */
  informer(): Informer<T> | undefined;
  /** True when it is known what there is: the copy is complete, or none of the candidates is served. */
  hasSynced(): boolean;
  /** Fault `aborted` when the signal fires first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  onChange(handler: ChangeHandler<T>): void;
  /** Called when `hasSynced` becomes true. */
  onSynced(handler: () => void): void;
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_AGAIN_MS = 10_000;
/** After a failed discovery. */
const RETRY_MS = 1_000;

interface Following<T extends KubeObject> {
  readonly resource: Resource;
  readonly informer: Informer<T>;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export function createFollower<T extends KubeObject>(options: FollowerOptions<T>): Follower<T> {
  const changed: ChangeHandler<T>[] = [];
  const synced: (() => void)[] = [];
  let following: Following<T> | undefined;
  let isKnown = false;

  function tellSynced(): void {
    for (const handler of synced) handler();
  }

  function start(resource: Resource, signal: AbortSignal): void {
    const stop = new AbortController();
    const informer = options.createInformer(resource);
    for (const handler of changed) informer.onChange(handler);
    const either = AbortSignal.any([signal, stop.signal]);
    following = { resource, informer, stop, ended: informer.run(either) };
    options.log.info("kind is followed", {
      resource: resource.plural,
      group: resource.group,
      version: resource.version,
    });
    informer.waitForSync(either).then(tellSynced, ignoreAbort);
  }

  async function leave(): Promise<void> {
    const left = following;
    following = undefined;
    left?.stop.abort();
    await left?.ended;
  }

  /**
   * What is followed is left only for a better version. A definition that was deleted took its objects along, and the
   * watch has told their end; an answer that merely does not name it must not make policies disappear.
   */
  async function look(signal: AbortSignal): Promise<void> {
    const served = await firstServed(options, signal);
    if (served !== undefined && served.version !== following?.resource.version) {
      await leave();
      if (!signal.aborted) start(served, signal);
    }
    const wasKnown = isKnown;
    isKnown = true;
    if (!wasKnown && following === undefined) tellSynced();
  }

  const hasSynced = () => isKnown && (following === undefined || following.informer.hasSynced());
  return {
    informer: () => following?.informer,
    hasSynced,
    waitForSync: (signal) => untilCalled(hasSynced, (handler) => synced.push(handler), signal),
    onChange: (handler) => void changed.push(handler),
    onSynced: (handler) => void synced.push(handler),
    run: async (signal) => {
      await lookUntil(signal, look, options);
      await leave();
    },
  };
}

async function untilCalled(
  isDone: () => boolean,
  subscribe: (handler: () => void) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (isDone()) return;
  await new Promise<void>((resolve, reject) => {
    const leave = onAbort(signal, () => reject(new Fault("aborted", "stopped while waiting for a first list")));
    subscribe(() => {
      leave();
      resolve();
    });
  });
}

async function lookUntil(
  signal: AbortSignal,
  look: (signal: AbortSignal) => Promise<void>,
  { clock, log, lookAgainMs = LOOK_AGAIN_MS }: Pick<FollowerOptions<KubeObject>, "clock" | "log" | "lookAgainMs">,
): Promise<void> {
  const tell = createTeller(log);
  while (!signal.aborted) {
    const failure = await failureOf(look(signal), signal);
    tell(failure);
    await sleep(clock, failure === undefined ? lookAgainMs : RETRY_MS, signal);
  }
}

/** A missing right or a proxy's page is told once, because a person has to see to it; an outage passes. */
function createTeller(log: Log): (error: Fault | undefined) => void {
  let said: string | undefined;
  return (error) => {
    const isNews = error?.retryable === false && error.message !== said;
    said = error === undefined || isNews ? error?.message : said;
    if (error !== undefined) log[isNews ? "warn" : "debug"]("discovery failed", { error });
  };
}

/** Undefined where it succeeded, or was given up. */
async function failureOf(look: Promise<void>, signal: AbortSignal): Promise<Fault | undefined> {
  try {
    await look;
    return undefined;
  } catch (error) {
    if (!isFault(error)) throw error;
    return signal.aborted ? undefined : error;
  }
}

async function firstServed<T extends KubeObject>(
  { client, candidates }: FollowerOptions<T>,
  signal: AbortSignal,
): Promise<Resource | undefined> {
  for (const resource of candidates) if (await isServed(client, resource, signal)) return resource;
  return undefined;
}

async function isServed(client: KubeClient, resource: Resource, signal: AbortSignal): Promise<boolean> {
  const served = await listServed(client, resource, signal);
  return served?.some(({ name }) => name === resource.plural) ?? false;
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    ignoreAbort(error);
  }
}

function ignoreAbort(error: unknown): void {
  if (!isFault(error, "aborted")) throw error;
}
