// So many a second, and a few more after a pause: a bucket that fills by itself. Pure but for the clock that it is handed.

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
