// The pace of calls: backoff after failures, and a token bucket. Waits double from `baseMs` to `maxMs`; each is
// drawn from the upper half of its span, so that clients which failed together do not come back together.

import { isFault } from "../../kernel/outcome/index.ts";
import { retryAfterMs } from "./faults.ts";

export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** client-go's numbers for informers. */
export const WATCH_BACKOFF: BackoffLimits = { baseMs: 800, maxMs: 30_000 };

/** A server may ask for a pause in `Retry-After`; one that asks for longer than this is not obeyed to the letter. */
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * `attempt` counts from 0; `random` is in [0, 1). The first wait is in [baseMs, 2 baseMs), the last in [maxMs / 2,
 * maxMs).
 */
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

// So many a second, and a few more after a pause: a bucket that fills by itself. Pure but for the clock that it is
// handed.

export interface Rate {
  readonly perSecond: number;
  /** How many may come at once after a pause. */
  readonly burst: number;
}

export interface TokenBucket {
  /** How long until the next one may go; 0 when it may now. */
  waitMs(): number;
  take(): void;
}

export function createTokenBucket({ perSecond, burst }: Rate, nowMs: () => number): TokenBucket {
  let tokens = burst;
  let atMs = nowMs();
  const fill = () => {
    const presentMs = nowMs();
    // A clock that was set back gives nothing and takes nothing.
    tokens = Math.min(burst, tokens + (Math.max(0, presentMs - atMs) / 1_000) * perSecond);
    atMs = presentMs;
  };
  return {
    waitMs: () => {
      fill();
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1_000);
    },
    take: () => {
      fill();
      tokens -= 1;
    },
  };
}
