// The two spans that a manager measures, both by a clock that somebody may set meanwhile: how long it has been without a
// valid pair, and how long it still leaves the server alone.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";

export interface LackLimit {
  /** Fault `timeout` once there has been no valid pair for the whole limit; `why` is the last thing that went wrong. */
  note(isValid: boolean, why: Fault | undefined): void;
  /** What is left of the limit; undefined while there is a valid pair. */
  remainingMs(): number | undefined;
}

export function createLackLimit(clock: Clock, limitMs: number): LackLimit {
  let sinceMs: number | undefined;
  const remainingMs = () => (sinceMs === undefined ? undefined : Math.max(limitMs - (clock.now() - sinceMs), 0));
  return {
    remainingMs,
    note: (isValid, why) => {
      if (isValid) sinceMs = undefined;
      else if (sinceMs === undefined || sinceMs > clock.now()) sinceMs = clock.now();
      if (remainingMs() !== 0) return;
      const last = why?.message ?? "nothing was answered";
      throw new Fault("timeout", `no valid certificate for ${Math.round(limitMs / 1_000)} s: ${last}`, { cause: why });
    },
  };
}

export interface Pause {
  begin(lengthMs: number): void;
  isOn(): boolean;
}

export function createPause(clock: Clock): Pause {
  let endMs = 0;
  let spanMs = 0;
  return {
    begin: (lengthMs) => {
      spanMs = lengthMs;
      endMs = clock.now() + lengthMs;
    },
    // A clock that was set back must not make a pause of two seconds one of two hours.
    isOn: () => clock.now() < endMs && clock.now() >= endMs - spanMs,
  };
}
