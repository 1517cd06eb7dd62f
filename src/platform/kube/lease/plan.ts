// A Lease and what we have seen of it → what to do about it. Upstream: client-go's leaderelection, whose records these
// are. The times in a record are of another machine's clock and decide nothing: a lease has expired when its record has
// not changed for its duration on our own clock.

import type { Lease } from "../../../api/core/index.ts";

/** What was last seen, and since when by a clock that only grows. */
export interface Observation {
  /** The record as text; undefined while there is no Lease. */
  readonly record: string | undefined;
  readonly sinceMs: number;
}

export interface ElectionFacts {
  readonly identity: string;
  /** As read from the server this moment, never from a cache. */
  readonly lease: Lease | undefined;
  readonly observed: Observation;
  /** By the clock of `observed`. */
  readonly monotonicMs: number;
  /** For the times in the record, which people read. */
  readonly nowMs: number;
  readonly durationMs: number;
}

type ElectionPlan =
  | { readonly kind: "Write"; readonly spec: NonNullable<Lease["spec"]> }
  | { readonly kind: "Stand"; readonly holder: string; readonly leftMs: number };

function recordOf(lease: Lease | undefined): string | undefined {
  return lease === undefined ? undefined : JSON.stringify([lease.metadata.uid, lease.spec ?? {}]);
}

/** The observation after another look: a record that is new to us begins its life now. */
export function observe(before: Observation | undefined, lease: Lease | undefined, monotonicMs: number): Observation {
  const record = recordOf(lease);
  return before !== undefined && before.record === record ? before : { record, sinceMs: monotonicMs };
}

export function planElection(facts: ElectionFacts): ElectionPlan {
  const { identity, lease, observed, monotonicMs } = facts;
  const holder = lease?.spec?.holderIdentity ?? "";
  if (holder !== "" && holder !== identity) {
    const lifeMs = (lease?.spec?.leaseDurationSeconds ?? 0) * 1_000;
    const leftMs = observed.sinceMs + lifeMs - monotonicMs;
    if (leftMs >= 0) return { kind: "Stand", holder, leftMs };
  }
  return { kind: "Write", spec: specOf(facts, holder === identity) };
}

function specOf({ identity, lease, nowMs, durationMs }: ElectionFacts, isRenewal: boolean): NonNullable<Lease["spec"]> {
  const before = lease?.spec ?? {};
  const now = microTime(nowMs);
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime: isRenewal ? (before.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: (before.leaseTransitions ?? 0) + (isRenewal || lease === undefined ? 0 : 1),
  };
}

/** The record of a leader that gives the lease back: the next candidate may take it at once. */
export function releasedSpec(lease: Lease, nowMs: number): NonNullable<Lease["spec"]> {
  const now = microTime(nowMs);
  return { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

/** MicroTime, as Kubernetes writes it: six digits of fraction. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
}
