import { describe, expect, it } from "vitest";
import type { Lease } from "../../../api/core/index.ts";
import { type ElectionFacts, observe, planElection, releasedSpec } from "./plan.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

function aLease(spec: Lease["spec"]): Lease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { uid: "u", resourceVersion: "7" },
    spec: { leaseDurationSeconds: 15, leaseTransitions: 3, ...spec },
  };
}

function plan(lease: Lease | undefined, ageMs: number) {
  const facts: ElectionFacts = {
    identity: "me",
    lease,
    observed: observe(undefined, lease, 1_000),
    monotonicMs: 1_000 + ageMs,
    nowMs: NOW_MS,
    durationMs: 15_000,
  };
  return planElection(facts);
}

describe("the plan of an election", () => {
  it("makes a lease where there is none", () => {
    expect(plan(undefined, 0)).toEqual({
      kind: "Write",
      spec: {
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
  });

  it("stands while another holds it, up to the last millisecond of its duration on our own clock", () => {
    const held = aLease({ holderIdentity: "other", renewTime: "1999-01-01T00:00:00.000000Z" });
    expect(plan(held, 0)).toEqual({ kind: "Stand", holder: "other", leftMs: 15_000 });
    expect(plan(held, 15_000)).toMatchObject({ kind: "Stand", leftMs: 0 });
    expect(plan(held, 15_001)).toMatchObject({ kind: "Write", spec: { holderIdentity: "me", leaseTransitions: 4 } });
  });

  it("renews its own without a transition, and takes a released one at once", () => {
    const own = aLease({ holderIdentity: "me", acquireTime: "2025-01-01T00:00:00.000000Z" });
    expect(plan(own, 0)).toMatchObject({ spec: { acquireTime: "2025-01-01T00:00:00.000000Z", leaseTransitions: 3 } });
    const released = aLease(releasedSpec(aLease({ holderIdentity: "other" }), NOW_MS));
    expect(released.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(plan(released, 0)).toMatchObject({ kind: "Write", spec: { leaseTransitions: 4 } });
  });
});

describe("an observation", () => {
  it("begins anew whenever the record changes, and only then", () => {
    const first = observe(undefined, aLease({ renewTime: "a" }), 1);
    expect(observe(first, aLease({ renewTime: "a" }), 2)).toBe(first);
    expect(observe(first, aLease({ renewTime: "b" }), 3).sinceMs).toBe(3);
    expect(observe(first, undefined, 4)).toEqual({ record: undefined, sinceMs: 4 });
  });
});
