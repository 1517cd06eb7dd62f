// How long the manager waits after an attempt that failed. A server that is away is asked again soon; a refusal is somebody's
// decision, and asking again every half minute would only fill the cluster with requests.

import { isFault } from "../../../kernel/outcome/index.ts";
import { type BackoffLimits, backoffMs, waitAfterMs } from "../../../platform/kube/index.ts";
import { isRefusedRequest } from "../obtain.ts";

/** kubelet's: 2, 4, 8, 16, then every 32 seconds and more. */
const ACCIDENT: BackoffLimits = { baseMs: 2_000, maxMs: 64_000 };
/** A person who has removed the cause of a denial waits some minutes at most. */
const REFUSAL: BackoffLimits = { baseMs: 30_000, maxMs: 600_000 };

export interface Failure {
  readonly error: unknown;
  /** Failures in a row before this one. */
  readonly before: number;
  /** In [0, 1). */
  readonly random: number;
}

export function retryDelayMs({ error, before, random }: Failure): number {
  // Nothing but an operator changes this (protocol 7.3): asking sooner would only repeat it.
  if (isFault(error) && error.detail["next"] === "operator") return REFUSAL.maxMs;
  return waitAfterMs(error, backoffMs(isRefusedRequest(error) ? REFUSAL : ACCIDENT, before, random));
}
