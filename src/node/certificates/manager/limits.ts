// Time spans of a manager, measured by a clock that may be set meanwhile: without a valid pair, between two attempts,
// and how long a failed attempt delays the next.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { type BackoffLimits, backoffMs, waitAfterMs } from "../../../platform/kube/index.ts";
import { isRefusedRequest } from "../obtain.ts";

interface LackLimit {
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

interface Pause {
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

/** kubelet's: 2, 4, 8, 16, then every 32 seconds and more. */
const ACCIDENT: BackoffLimits = { baseMs: 2_000, maxMs: 64_000 };
/**
 * For a refusal, which is a decision: asking every half minute would fill the cluster with requests. An operator who
 * has removed its cause waits some minutes at most.
 */
const REFUSAL: BackoffLimits = { baseMs: 30_000, maxMs: 600_000 };

interface Failure {
  readonly error: unknown;
  /** Failures in a row before this one. */
  readonly before: number;
  /** In [0, 1). */
  readonly random: number;
}

export function retryDelayMs({ error, before, random }: Failure): number {
  // Only an operator can change this outcome.
  if (isFault(error) && error.detail["next"] === "operator") return REFUSAL.maxMs;
  return waitAfterMs(error, backoffMs(isRefusedRequest(error) ? REFUSAL : ACCIDENT, before, random));
}
