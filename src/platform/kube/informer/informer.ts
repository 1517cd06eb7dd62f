// A local copy of one kind of object that follows the server for as long as its signal lets it.

import { type KubeObject, qualifiedName, type Resource } from "../../../api/meta/index.ts";
import { assert } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { type ChangeHandler, createAudience } from "./audience.ts";
import type { Selection, Sink } from "./follow.ts";
import { createGate } from "./gate.ts";
import { keepFollowing } from "./keep-following.ts";
import { createObjectStore } from "./store.ts";

export interface Informer<T extends KubeObject = KubeObject> {
  /** Follows until the signal aborts, and resolves only then. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  get(name: string, namespace?: string): T | undefined;
  list(): readonly T[];
  /** True once the copy has been complete; it stays true through later outages. */
  hasSynced(): boolean;
  /** Fault `aborted` when the signal fires first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Called for every change from now on, and at once with ADDED for all that is there. Returns the unsubscriber. */
  onChange(handler: ChangeHandler<T>): () => void;
}

export interface InformerOptions extends Selection {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** A change handler threw. Default: the error is thrown where nobody catches it, which ends the process. */
  readonly onBug?: ((error: unknown) => void) | undefined;
}

export function createInformer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: InformerOptions,
): Informer<T> {
  const { clock, random, namespace, fieldSelector, labelSelector } = options;
  const source = { client, resource, selection: { namespace, fieldSelector, labelSelector }, clock, random };
  const log = options.log.child({ resource: qualifiedName(resource) });
  const store = createObjectStore<T>();
  const audience = createAudience<T>(log, options.onBug ?? endProcess);
  const synced = createGate(`the first list of ${resource.plural}`);
  const sink: Sink<T> = {
    replace: (objects) => {
      audience.tell(store.replace(objects));
      synced.open();
    },
    apply: (event) => audience.tell(store.apply(event)),
  };
  let hasRun = false;
  return {
    run: async (signal) => {
      assert(!hasRun, "an informer runs once");
      hasRun = true;
      await keepFollowing({ source, sink, log, signal });
    },
    get: store.get,
    list: store.list,
    hasSynced: synced.isOpen,
    waitForSync: synced.wait,
    onChange: (handler) => audience.add(handler, store.list()),
  };
}

function endProcess(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
