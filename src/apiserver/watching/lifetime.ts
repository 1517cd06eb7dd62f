// The timers of one watch: it wakes about once a minute and shortly before its deadline, ends at the deadline, and gives a
// reader up that has not finished some seconds later.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { nextWakeAt } from "./timing.ts";

export interface Lifetime {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Aborts when the watch has ended for another reason. */
  readonly signal: AbortSignal;
  readonly onWake: () => void;
  readonly onDeadline: () => void;
  readonly onStalled: () => void;
}

/** What a reader may still need at the deadline for the events that are queued. */
const STALLED_READER_MS = 5_000;

export async function runLifetime(lifetime: Lifetime): Promise<void> {
  const { clock, deadlineMs, signal } = lifetime;
  try {
    for (let nowMs = clock.now(); nowMs < deadlineMs; nowMs = clock.now()) {
      await clock.sleep(nextWakeAt(nowMs, deadlineMs) - nowMs, signal);
      if (clock.now() < deadlineMs) lifetime.onWake();
    }
    lifetime.onDeadline();
    await clock.sleep(STALLED_READER_MS, signal);
    lifetime.onStalled();
  } catch (cause) {
    if (!isFault(cause, "aborted")) throw cause;
  }
}
