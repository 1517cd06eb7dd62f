import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { createDeadlines } from "./deadlines.ts";

function setUp() {
  const clock = createManualClock();
  const expired: string[] = [];
  const deadlines = createDeadlines(clock);
  const add = (name: string, ms: number) => deadlines.add(ms, () => expired.push(name));
  return { clock, expired, deadlines, add };
}

describe("deadlines", () => {
  it("expire in their order, each at its time, with one sleeper for all", async () => {
    const { clock, expired, add } = setUp();
    add("late", 60);
    add("soon", 10);
    add("later", 90);
    expect(clock.pending()).toEqual([10]);
    await clock.advance(59);
    expect(expired).toEqual(["soon"]);
    await clock.advance(1);
    expect(expired).toEqual(["soon", "late"]);
    await clock.advance(30);
    expect(expired).toEqual(["soon", "late", "later"]);
    expect(clock.pending()).toEqual([]);
  });

  it("do not expire once they are met", async () => {
    const { clock, expired, add } = setUp();
    add("met", 10)();
    await clock.advance(100);
    expect(expired).toEqual([]);
  });

  it("leave nothing behind when they are closed", async () => {
    const { clock, expired, deadlines, add } = setUp();
    add("open", 10);
    deadlines.close();
    await clock.advance(100);
    expect([expired, clock.pending()]).toEqual([[], []]);
  });
});
