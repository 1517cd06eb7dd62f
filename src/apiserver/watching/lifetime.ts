// The timers of one watch: it wakes about once a minute and shortly before its deadline, ends at the deadline, and
// abandons a reader that has not finished some seconds later.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { EventQueue } from "./event-queue.ts";

interface Lifetime {
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Aborts when the watch has ended for another reason. */
  readonly signal: AbortSignal;
  readonly onWake: () => void;
  readonly onDeadline: () => void;
  readonly onStalled: () => void;
}

/** Time for the reader to take the queued events after the deadline. */
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

// When a watch ends and when it wakes in between: pure arithmetic in milliseconds.

/**
 * kube-apiserver: --min-request-timeout 1800 s, times a random factor in [1, 2), so that watches do not all end
 * together.
 */
const DEFAULT_TIMEOUT_MS = 1_800_000;

/** About once a minute, as kube-apiserver does: a client that reconnects then replays a minute at most. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** The last bookmark comes this long before the end, so that the next watch starts close to where this one stopped. */
const BOOKMARK_BEFORE_END_MS = 2_000;

/** `random` gives a number in [0, 1). Zero seconds mean the default, as an absent parameter does. */
export function watchTimeoutMs(timeoutSeconds: number | undefined, random: () => number): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1_000;
  return DEFAULT_TIMEOUT_MS * (1 + random());
}

/** The next moment at which a watch acts by itself: sends a bookmark or ends. */
export function nextWakeAt(nowMs: number, deadlineMs: number): number {
  const lastBookmarkMs = deadlineMs - BOOKMARK_BEFORE_END_MS;
  const endMs = nowMs < lastBookmarkMs ? lastBookmarkMs : deadlineMs;
  return Math.min(nowMs + BOOKMARK_INTERVAL_MS, endMs);
}

// Tells a quiet watch from a stalled reader: events have been waiting for a whole minute and none was taken. Such a
// reader would otherwise keep its snapshot of old objects alive until the deadline, which may be an hour away.

/** Far longer than any pause of a working client, which needs some milliseconds to read what the socket holds. */
const PATIENCE_MS = 60_000;

/** Returns a function that tells whether the reader has stalled. */
export function createPatience(queue: EventQueue<unknown>, clock: Clock): () => boolean {
  let taken = queue.taken();
  let sinceMs = clock.now();
  return () => {
    if (queue.isIdle() || queue.taken() !== taken) {
      taken = queue.taken();
      sinceMs = clock.now();
    }
    return clock.now() - sinceMs >= PATIENCE_MS;
  };
}
