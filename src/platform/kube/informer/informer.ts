// A local copy of one kind of object that follows the server for as long as its signal lets it.

import { type KubeObject, qualifiedName, type Resource } from "../../../api/meta/index.ts";
import { assert, Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";
import { onAbort } from "../../signals/index.ts";
import type { KubeClient } from "../client.ts";
import type { Selection, Sink } from "./follow.ts";
import type { IndexFunction } from "./indexes.ts";
import { createRestart, keepFollowing } from "./keep-following.ts";
import { type Change, createObjectStore } from "./store.ts";

export interface Informer<T extends KubeObject = KubeObject> {
  /** Follows until the signal aborts, and resolves only then. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  get(name: string, namespace?: string): T | undefined;
  list(): readonly T[];
  /** How many `list` would give, without copying it. */
  size(): number;
  /** The objects for which the index function of this name gives this value. */
  byIndex(index: string, value: string): readonly T[];
  /** How many `byIndex` would give, without walking over them. */
  countByIndex(index: string, value: string): number;
  /** Every value of an index, with the number of objects that have it. */
  indexValues(index: string): Iterable<readonly [value: string, count: number]>;
  /** True once the copy has been complete; it stays true through later outages. */
  hasSynced(): boolean;
  /** Fault `aborted` when the signal fires first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Reads everything anew, as it is on the server now or later, and resolves when the copy holds it. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** The server's answer to a write of our own: news as good as a watch event, and sooner. */
  observe(object: T): void;
  /** Called for every change from now on, and at once with ADDED for all that is there. Returns the unsubscriber. */
  onChange(handler: ChangeHandler<T>): () => void;
}

export interface InformerOptions<T extends KubeObject = KubeObject> extends Selection {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /**
   * What is kept of each object, so that a large collection costs no more than what is read of it. Default: all but
   * `managedFields`, which often is half of an object and is not used here. Objects that are written back whole
   * must keep the rest.
   */
  readonly keep?: ((object: T) => T) | undefined;
  /** A change handler threw. Default: the error is thrown uncaught, which ends the process. */
  readonly onBug?: ((error: unknown) => void) | undefined;
}

export function createInformer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: InformerOptions<T>,
): Informer<T> {
  const { clock, random, namespace, fieldSelector, labelSelector, keep = withoutManagedFields } = options;
  const source = { client, resource, selection: { namespace, fieldSelector, labelSelector }, clock, random };
  const log = options.log.child({ resource: qualifiedName(resource) });
  const store = createObjectStore<T>({ indexes: options.indexes });
  const audience = createAudience<T>(log, options.onBug ?? endProcess);
  const synced = createGate(`the first list of ${resource.plural}`);
  const restart = createRestart();
  const refreshing = new Set<Gate>();
  const sink: Sink<T> = {
    keep,
    replace: (objects) => {
      audience.tell(store.replace(objects));
      synced.open();
      for (const gate of refreshing) gate.open();
      refreshing.clear();
    },
    apply: (event) => audience.tell(store.apply(event)),
  };
  let hasRun = false;
  return {
    run: async (signal) => {
      assert(!hasRun, "an informer runs once");
      hasRun = true;
      await keepFollowing({ source, sink, log, signal, restart });
    },
    get: store.get,
    list: store.list,
    size: store.size,
    byIndex: store.byIndex,
    countByIndex: store.countByIndex,
    indexValues: store.indexValues,
    hasSynced: synced.isOpen,
    waitForSync: synced.wait,
    refresh: (signal) => {
      const gate = createGate(`a new list of ${resource.plural}`);
      refreshing.add(gate);
      restart.request();
      return gate.wait(signal);
    },
    observe: (object) => audience.tell(store.observe(keep(object))),
    onChange: (handler) => audience.add(handler, store.list()),
  };
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _left, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function endProcess(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

// A gate is closed until it is opened, once: waiting callers go on, later ones do not wait.

interface Gate {
  open(): void;
  isOpen(): boolean;
  /** Fault `aborted` when the signal fires first. */
  wait(signal?: AbortSignal): Promise<void>;
}

function createGate(what: string): Gate {
  let opened = false;
  const waiting = new Set<() => void>();
  return {
    isOpen: () => opened,
    open: () => {
      opened = true;
      for (const pass of waiting) pass();
      waiting.clear();
    },
    wait: (signal) =>
      new Promise((resolve, reject) => {
        if (opened) return resolve();
        const pass = () => {
          leave();
          resolve();
        };
        waiting.add(pass);
        const leave = onAbort(signal, () => {
          waiting.delete(pass);
          reject(new Fault("aborted", `stopped while waiting for ${what}`));
        });
      }),
  };
}

// Handlers of changes. One that throws does not keep the others, or the informer, from theirs; but it has
// missed a change that will not come again, and what it knows is wrong from now on. So that ends the process, as
// every bug does.

/** Synchronous: it notes that there is work, the work is done elsewhere. */
export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

interface Audience<T extends KubeObject> {
  /** The newcomer is first told of `present` as ADDED. Returns what takes it off. */
  add(handler: ChangeHandler<T>, present: readonly T[]): () => void;
  tell(changes: readonly Change<T>[]): void;
}

function createAudience<T extends KubeObject>(log: Log, onBug: (error: unknown) => void): Audience<T> {
  const handlers = new Set<ChangeHandler<T>>();

  function tellOne(handler: ChangeHandler<T>, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      const { name, namespace } = change.object.metadata;
      log.error("a change handler failed", { type: change.type, name, namespace, error });
      onBug(error);
    }
  }

  return {
    add: (handler, present) => {
      handlers.add(handler);
      for (const object of present) tellOne(handler, { type: "ADDED", object });
      return () => handlers.delete(handler);
    },
    tell: (changes) => {
      for (const change of changes) for (const handler of handlers) tellOne(handler, change);
    },
  };
}
