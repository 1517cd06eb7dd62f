import { describe, expect, it } from "vitest";
import { createManualClock, START_MS } from "./clock.ts";

describe("the manual clock", () => {
  it("stands still until it is turned", async () => {
    const clock = createManualClock();
    expect(clock.now()).toBe(START_MS);
    await clock.advance(5);
    expect(clock.now()).toBe(START_MS + 5);
  });

  it("wakes sleepers in the order of their times, each at its own", async () => {
    const clock = createManualClock(0);
    const woken: string[] = [];
    for (const ms of [30, 10, 20, 50]) void clock.sleep(ms).then(() => woken.push(`${ms} at ${clock.now()}`));
    await clock.advance(40);
    expect(woken).toEqual(["10 at 10", "20 at 20", "30 at 30"]);
    expect(clock.pending()).toEqual([10]);
  });

  it("wakes a loop that sleeps again within the span", async () => {
    const clock = createManualClock(0);
    let rounds = 0;
    void (async () => {
      for (;;) {
        await clock.sleep(10);
        rounds++;
      }
    })();
    await clock.advance(100);
    expect(rounds).toBe(10);
  });

  it("lets a sleeper go when its signal fires", async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(10, stop.signal);
    stop.abort();
    await expect(sleeping).rejects.toMatchObject({ code: "aborted" });
    await expect(clock.sleep(10, stop.signal)).rejects.toMatchObject({ code: "aborted" });
    expect(clock.pending()).toEqual([]);
  });
});
