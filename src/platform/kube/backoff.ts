// How long to wait before the next try, and the bounded retry made of it. Waits double from `baseMs` to `maxMs`; each is
// drawn from the upper half of its span, so that clients which failed together do not come back together.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";
import { retryAfterMs } from "./faults.ts";

export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** client-go's numbers for informers. */
export const WATCH_BACKOFF: BackoffLimits = { baseMs: 800, maxMs: 30_000 };

/** A call that somebody waits for: a few quick tries are better than one long wait. */
export const CALL_BACKOFF: BackoffLimits = { baseMs: 100, maxMs: 5_000 };

/** A server may ask for a pause in `Retry-After`; one that asks for longer than this is not obeyed to the letter. */
const RETRY_AFTER_MAX_MS = 60_000;

/** `attempt` counts from 0; `random` is in [0, 1). The first wait is in [baseMs, 2 baseMs), the last in [maxMs / 2, maxMs). */
export function backoffMs(limits: BackoffLimits, attempt: number, random: number): number {
  // The exponent is bounded because 2 ** 1024 is Infinity.
  const lowMs = Math.min(limits.baseMs * 2 ** Math.min(attempt, 30), limits.maxMs / 2);
  return lowMs + random * lowMs;
}

/** The wait after a failure: ours, or the server's `Retry-After` where that is longer. */
export function waitAfterMs(failure: unknown, ownMs: number): number {
  const askedMs = isFault(failure) ? (retryAfterMs(failure) ?? 0) : 0;
  return Math.max(ownMs, Math.min(askedMs, RETRY_AFTER_MAX_MS));
}

export interface RetryOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** How often the operation is tried in all. */
  readonly attempts: number;
  readonly limits?: BackoffLimits | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tries again after faults that say they are retryable, and after no others. Only for operations that may run twice: reads,
 * and writes guarded by a resourceVersion.
 */
export async function retrying<T>(operation: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, attempts, limits = CALL_BACKOFF, signal } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await operation();
    } catch (failure) {
      if (!isFault(failure) || !failure.retryable || attempt + 1 >= attempts) throw failure;
      await clock.sleep(waitAfterMs(failure, backoffMs(limits, attempt, random())), signal);
    }
  }
}
