// A clock that tests turn by hand. `advance` wakes the sleepers in the order of their times and lets each run on, so
// that a loop that sleeps again within the span is woken again.

import { setImmediate as nextTurn } from "node:timers/promises";
import { Fault } from "../../src/kernel/outcome/index.ts";
import type { Clock } from "../../src/platform/clock/index.ts";

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  /** How long each sleeper still has to sleep, shortest first. */
  pending(): number[];
  /** Resolves once at least `count` sleepers wait: a loop that works with real sockets has then come to rest. */
  untilSleeping(count?: number): Promise<void>;
}

/** 2026-01-01T00:00:00Z */
export const START_MS = 1_767_225_600_000;

/** Turns of the event loop after a wake-up: enough for chains of promises, not for sockets (see `untilSleeping`). */
const TURNS_AFTER_WAKE = 3;

export function createManualClock(startMs: number = START_MS): ManualClock {
  let nowMs = startMs;
  const sleepers = new Set<Sleeper>();
  const next = (untilMs: number) =>
    [...sleepers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];

  async function settle(): Promise<void> {
    for (let turn = 0; turn < TURNS_AFTER_WAKE; turn++) await nextTurn();
  }

  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(stopped(signal));
        const finish = (end: () => void) => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
          end();
        };
        const onAbort = () => finish(() => reject(stopped(signal)));
        const sleeper = { dueMs: nowMs + ms, wake: () => finish(resolve) };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      await settle();
      for (let sleeper = next(untilMs); sleeper !== undefined; sleeper = next(untilMs)) {
        nowMs = Math.max(nowMs, sleeper.dueMs);
        sleeper.wake();
        await settle();
      }
      nowMs = untilMs;
    },
    pending: () => [...sleepers].map(({ dueMs }) => dueMs - nowMs).sort((a, b) => a - b),
    untilSleeping: async (count = 1) => {
      while (sleepers.size < count) await nextTurn();
    },
  };
}

function stopped(signal: AbortSignal | undefined): Fault {
  return new Fault("aborted", "stopped while waiting", { cause: signal?.reason });
}
