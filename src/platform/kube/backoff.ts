// How long to wait before the next try. The waits double from `baseMs` to `maxMs`; each is drawn from the upper half of
// its span, so that clients which failed together do not come back together.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";

export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** client-go's numbers for informers: 0.8 s doubling to 30 s. */
export const WATCH_BACKOFF: BackoffLimits = { baseMs: 800, maxMs: 30_000 };

/** A call that somebody waits for: three quick tries are better than one long wait. */
export const CALL_BACKOFF: BackoffLimits = { baseMs: 100, maxMs: 5_000 };

/** `attempt` counts from 0; `random` is in [0, 1). Never below `baseMs` (unless `maxMs` is), never above `maxMs`. */
export function backoffMs(limits: BackoffLimits, attempt: number, random: number): number {
  // The exponent is bounded because 2 ** 1024 is Infinity.
  const lowMs = Math.min(limits.baseMs * 2 ** Math.min(attempt, 30), limits.maxMs / 2);
  return Math.max(Math.min(limits.baseMs, limits.maxMs), lowMs) + random * lowMs;
}
