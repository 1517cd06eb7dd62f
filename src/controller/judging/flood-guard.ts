// Flood control: a requester with thousands of undecided requests is served slowly, so that the API server and the
// others keep their share, and is named for the operator: in the log once, and in a metric that an alert reads
// (deploy/alerts/countersign-controller.rules.yaml). Turns among requesters are the queue's matter; this is about a
// requester that fills it.

import type { Clock } from "../../platform/clock/index.ts";
import { createTokenBucket, type Rate, type TokenBucket } from "../../platform/kube/index.ts";
import type { Log, Reading } from "../../platform/report/index.ts";

interface FloodLimits {
  /** More undecided requests than this of one requester are a flood. */
  readonly pending: number;
  /** How fast the requests of a flooding requester are looked at. */
  readonly rate: Rate;
}

/**
 * A cluster that is brought up at once joins a thousand nodes with one token, and each is undecided for some
 * milliseconds; a pending limit of machine-approver's kind begins at a hundred. At fifty a second even a flood comes to
 * its end.
 */
const FLOOD_LIMITS: FloodLimits = { pending: 3_000, rate: { perSecond: 50, burst: 50 } };

/** The requester chooses its number of names; the metric shows the first ones. */
const MAX_NAMED = 20;

interface FloodOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly pendingOf: (requester: string) => number;
  readonly limits?: FloodLimits | undefined;
}

interface FloodGuard {
  /** How long the next request of this requester has to wait; for the queue. */
  holdMs(requester: string): number;
  onTake(requester: string): void;
  /** Who floods at present, and with how many. */
  readings(): readonly Reading[];
}

export function createFloodGuard({ clock, log, pendingOf, limits = FLOOD_LIMITS }: FloodOptions): FloodGuard {
  const floods = new Map<string, TokenBucket>();

  function bucketOf(requester: string): TokenBucket | undefined {
    const pending = pendingOf(requester);
    const known = floods.get(requester);
    if (pending <= limits.pending) {
      if (known !== undefined) log.info("a requester floods no longer", { requester, pending });
      floods.delete(requester);
      return undefined;
    }
    if (known !== undefined) return known;
    log.warn("a requester floods the cluster with requests and is served slowly", { requester, pending });
    const bucket = createTokenBucket(limits.rate, clock.now);
    floods.set(requester, bucket);
    return bucket;
  }

  return {
    holdMs: (requester) => bucketOf(requester)?.waitMs() ?? 0,
    onTake: (requester) => floods.get(requester)?.take(),
    readings: () =>
      [...floods.keys()].slice(0, MAX_NAMED).map((requester) => [{ requester }, pendingOf(requester)] as const),
  };
}
