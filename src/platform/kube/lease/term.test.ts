import { describe, expect, it } from "vitest";
import { beginTerm, LEASE_TIMING, requireTiming } from "./term.ts";

function aTerm() {
  const present = { monotonicMs: 0, nowMs: 1_000_000 };
  const term = beginTerm({ ...present }, { timing: LEASE_TIMING, transitions: 0, present: () => ({ ...present }) });
  return { term, present };
}

describe("a term", () => {
  it("lets a write end a tenth of the lease before anybody may take over", () => {
    const { term, present } = aTerm();
    expect(term.writeMs()).toBe(13_500);
    present.monotonicMs = 9_999;
    expect(term.writeMs()).toBe(3_501);
  });

  it.each([
    ["the monotonic clock", { monotonicMs: 10_000 }],
    ["the wall clock, which went on while the machine slept", { nowMs: 1_010_000 }],
  ])("lets no write begin after the renew deadline by %s", (_, later) => {
    const { term, present } = aTerm();
    Object.assign(present, later);
    expect(() => term.writeMs()).toThrow(/does not lead any more/);
    expect(term.isOver()).toBe(true);
  });

  it("is not made longer by a wall clock that was set back", () => {
    const { term, present } = aTerm();
    Object.assign(present, { monotonicMs: 10_000, nowMs: 0 });
    expect(term.isOver()).toBe(true);
  });

  it("goes on with a renewal, counted from the moment before it was sent", () => {
    const { term, present } = aTerm();
    present.monotonicMs = 12_000;
    term.extend({ monotonicMs: 8_000, nowMs: 1_000_000 });
    expect(term.writeMs()).toBe(9_500);
  });

  it("lets the work in hand be finished when it is told to stop, and nothing once it is lost", () => {
    const { term } = aTerm();
    term.stop();
    expect([term.signal.aborted, term.writeMs()]).toEqual([true, 13_500]);
    term.lose("the lease is held by another");
    expect(() => term.writeMs()).toThrow(/held by another/);
  });
});

describe("the timing", () => {
  it.each([
    ["kube-controller-manager's", LEASE_TIMING, true],
    ["a deadline that leaves no time for a write", { durationMs: 15_000, renewMs: 13_000, retryMs: 2_000 }, false],
    ["one try before the deadline", { durationMs: 15_000, renewMs: 10_000, retryMs: 6_000 }, false],
    ["no pause", { durationMs: 15_000, renewMs: 10_000, retryMs: 0 }, false],
  ])("of %s", (_, timing, isFine) => {
    if (isFine) expect(() => requireTiming(timing)).not.toThrow();
    else expect(() => requireTiming(timing)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });
});
