// The keys a controller has to look at: a line for now in which flows take turns, delays for later, and a wait that
// grows with each failure of a key.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type BackoffLimits, backoffMs } from "../pace.ts";
import { createFlows, type FlowOptions } from "./flows.ts";
import { createLine } from "./line.ts";

/** Kubernetes' controllers begin with 5 ms, which only warms the CPU; the end, some 16 minutes, is theirs. */
const QUEUE_BACKOFF: BackoffLimits = { baseMs: 100, maxMs: 1_000_000 };

export interface WorkQueue {
  add(key: string): void;
  /** Of several waits for one key the shortest counts. */
  addAfter(key: string, ms: number): void;
  /** After a failure: adds the key after a wait that doubles each time until `forget`. Returns that wait. */
  retry(key: string): number;
  /** After a success: the next failure of this key counts as its first. */
  forget(key: string): void;
  /** The next key; the caller owes a `done` for it. Fault `aborted` when the signal fires or the queue is closed. */
  get(signal?: AbortSignal): Promise<string>;
  done(key: string): void;
  /** Keys that wait for a worker now. */
  size(): number;
  /** Drops all keys and waits and turns away every `get`. */
  close(): void;
}

/** The name under which the line's own wake-up is scheduled: no key is empty. */
const WAKE = "";

interface WorkQueueOptions extends FlowOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly limits?: BackoffLimits | undefined;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, random, limits = QUEUE_BACKOFF } = options;
  const delays = createDelays(clock);
  const line = createLine(createFlows(options), (ms, wake) => delays.schedule(WAKE, ms, wake));
  const failures = new Map<string, number>();

  function addAfter(key: string, ms: number): void {
    if (ms <= 0) line.add(key);
    else if (!line.isClosed()) delays.schedule(key, ms, () => line.add(key));
  }

  return {
    add: line.add,
    addAfter,
    get: line.get,
    done: line.done,
    size: line.size,
    retry: (key) => {
      const attempt = failures.get(key) ?? 0;
      failures.set(key, attempt + 1);
      const ms = backoffMs(limits, attempt, random());
      addAfter(key, ms);
      return ms;
    },
    forget: (key) => {
      failures.delete(key);
    },
    close: () => {
      line.close();
      delays.cancelAll();
      failures.clear();
    },
  };
}

// Things that are due later, at most one a key: of two waits for one key the one that ends sooner counts.

interface Delays {
  schedule(key: string, ms: number, then: () => void): void;
  cancelAll(): void;
}

function createDelays(clock: Clock): Delays {
  const waits = new Map<string, { readonly dueMs: number; readonly stop: AbortController }>();

  async function wait(key: string, ms: number, stop: AbortController): Promise<boolean> {
    try {
      await clock.sleep(ms, stop.signal);
    } catch (failure) {
      if (isFault(failure, "aborted")) return false; // the caller that stopped it has already removed or replaced it
      throw failure;
    }
    waits.delete(key);
    return true;
  }

  return {
    schedule: (key, ms, then) => {
      const dueMs = clock.now() + ms;
      const present = waits.get(key);
      if (present !== undefined && present.dueMs <= dueMs) return;
      present?.stop.abort();
      const stop = new AbortController();
      waits.set(key, { dueMs, stop });
      void wait(key, ms, stop).then((isDue) => {
        if (isDue) then();
      });
    },
    cancelAll: () => {
      for (const { stop } of waits.values()) stop.abort();
      waits.clear();
    },
  };
}
