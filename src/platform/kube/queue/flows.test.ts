import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { createTokenBucket } from "../pace.ts";
import { createFlows } from "./flows.ts";
import { createWorkQueue } from "./work-queue.ts";

const ownerOf = (key: string) => key.slice(0, 1);

describe("flows", () => {
  it("take turns: one request of b waits for one of a, not for all of them", () => {
    const flows = createFlows({ flowOf: ownerOf });
    for (const key of ["a1", "a2", "a3", "b1", "a4", "c1"]) flows.add(key);
    const order = Array.from({ length: 6 }, () => flows.take());
    expect(order).toEqual(["a1", "b1", "c1", "a2", "a3", "a4"]);
    expect([flows.size(), flows.take()]).toEqual([0, undefined]);
  });

  it("hold a key once, first in first out within a flow", () => {
    const flows = createFlows();
    for (const key of ["x", "y", "x"]) flows.add(key);
    expect([flows.take(), flows.take(), flows.take()]).toEqual(["x", "y", undefined]);
  });

  it("pass over one that is held back, and say for how long", () => {
    const flows = createFlows({ flowOf: ownerOf, holdMs: (flow) => (flow === "a" ? 40 : 0) });
    for (const key of ["a1", "b1"]) flows.add(key);
    expect([flows.take(), flows.take(), flows.heldMs(), flows.size()]).toEqual(["b1", undefined, 40, 1]);
  });
});

describe("a queue of several requesters", () => {
  it("serves a late flow after one key of the one before, also when that one's keys keep coming back", async () => {
    const queue = createWorkQueue({ clock: createManualClock(), random: () => 0, flowOf: ownerOf });
    for (let i = 0; i < 1_000; i++) queue.add(`a${i}`);
    const served: string[] = [];
    for (const late of ["b0", "c0", "b1"]) {
      const key = await queue.get();
      served.push(key);
      queue.add(late);
      queue.add(key);
      queue.done(key);
    }
    for (let i = 0; i < 4; i++) served.push(await queue.get());
    expect(served.map(ownerOf).join("")).toBe("aabacba");
    expect(served.filter((key) => key === "a0")).toHaveLength(1);
    queue.close();
  });
});

describe("a queue with a held flow", () => {
  it("hands its key out when the time has come, to a worker that waited all along", async () => {
    const clock = createManualClock();
    const until = clock.now() + 500;
    const queue = createWorkQueue({
      ...{ clock, random: () => 0 },
      flowOf: ownerOf,
      holdMs: (flow) => (flow === "a" ? Math.max(0, until - clock.now()) : 0),
    });
    queue.add("a1");
    const got: string[] = [];
    const worker = queue.get().then((key) => got.push(key));
    await clock.advance(499);
    expect(got).toEqual([]);
    await clock.advance(1);
    await worker;
    expect(got).toEqual(["a1"]);
    queue.close();
  });
});

describe("a token bucket", () => {
  it("gives a burst, then so many a second", () => {
    let nowMs = 0;
    const bucket = createTokenBucket({ perSecond: 10, burst: 2 }, () => nowMs);
    bucket.take();
    bucket.take();
    expect(bucket.waitMs()).toBe(100);
    nowMs = 100;
    expect(bucket.waitMs()).toBe(0);
    bucket.take();
    expect(bucket.waitMs()).toBe(100);
    nowMs = 60_000;
    bucket.take();
    bucket.take();
    expect(bucket.waitMs()).toBe(100);
  });
});
