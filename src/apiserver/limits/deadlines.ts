// Requests that take too long. One timer for all of them, which fires at the earliest deadline: nearly every request is
// answered long before, and a timer of its own would cost each of them more than authorization does.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";

export interface Deadlines {
  /** Calls `expire` after so many milliseconds, unless the result is called first. */
  add(ms: number, expire: () => void): () => void;
  /** Nothing expires any more. */
  close(): void;
}

interface Deadline {
  readonly dueMs: number;
  readonly expire: () => void;
}

interface Sleep {
  readonly untilMs: number;
  readonly cut: AbortController;
}

export function createDeadlines(clock: Clock): Deadlines {
  const waiting = new Set<Deadline>();
  let sleep: Sleep | undefined;

  function sleepUntil(untilMs: number): void {
    sleep?.cut.abort();
    const begun: Sleep = { untilMs, cut: new AbortController() };
    sleep = begun;
    clock.sleep(Math.max(0, untilMs - clock.now()), begun.cut.signal).then(wake, (cause) => {
      if (!isFault(cause, "aborted")) throw cause;
    });
  }

  function wake(): void {
    sleep = undefined;
    const nowMs = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const deadline of waiting) {
      if (deadline.dueMs > nowMs) nextMs = Math.min(nextMs, deadline.dueMs);
      else if (waiting.delete(deadline)) deadline.expire();
    }
    if (waiting.size > 0) sleepUntil(nextMs);
  }

  return {
    add: (ms, expire) => {
      const deadline: Deadline = { dueMs: clock.now() + ms, expire };
      waiting.add(deadline);
      if (sleep === undefined || deadline.dueMs < sleep.untilMs) sleepUntil(deadline.dueMs);
      return () => void waiting.delete(deadline);
    },
    close: () => {
      waiting.clear();
      sleep?.cut.abort();
      sleep = undefined;
    },
  };
}
