// Time is handed in: rules get `now` as a fact, loops get a Clock, tests get a clock that they turn by hand.

import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../../kernel/outcome/index.ts";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the fault `aborted` when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      throw new Fault("aborted", "stopped while waiting", { cause });
    }
  },
};

/** Milliseconds that only grow, from an unknown beginning: for spans, which a corrected wall clock would falsify. */
export function systemMonotonicMs(): number {
  return performance.now();
}
