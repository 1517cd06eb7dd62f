import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { backoffMs, retrying, WATCH_BACKOFF, waitAfterMs } from "./backoff.ts";

describe("backoffMs", () => {
  it("doubles from the base to half the maximum, and spreads each wait over as much again", () => {
    const spans = [0, 1, 2, 3, 4, 5, 50, 5_000].map((attempt) =>
      [0, 1].map((random) => backoffMs(WATCH_BACKOFF, attempt, random)),
    );
    expect(spans).toEqual([
      [800, 1_600],
      [1_600, 3_200],
      [3_200, 6_400],
      [6_400, 12_800],
      [12_800, 25_600],
      [15_000, 30_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ]);
  });
});

describe("waitAfterMs", () => {
  const asked = (retryAfterMs: number) => new Fault("too-many-requests", "slow down", { detail: { retryAfterMs } });
  it("is our own wait unless the server asks for a longer one, within reason", () => {
    expect(waitAfterMs(new Fault("unavailable", "away"), 800)).toBe(800);
    expect(waitAfterMs(new TypeError("bug"), 800)).toBe(800);
    expect(waitAfterMs(asked(500), 800)).toBe(800);
    expect(waitAfterMs(asked(5_000), 800)).toBe(5_000);
    expect(waitAfterMs(asked(86_400_000), 800)).toBe(60_000);
  });
});

describe("retrying", () => {
  function failing(...faults: Error[]) {
    let calls = 0;
    const operation = async () => {
      const fault = faults[calls++];
      if (fault !== undefined) throw fault;
      return calls;
    };
    return { operation, calls: () => calls };
  }
  const away = new Fault("unavailable", "away");

  it("tries again after retryable faults, with growing waits", async () => {
    const clock = createManualClock();
    const { operation } = failing(away, away);
    const result = retrying(operation, { clock, random: () => 0, attempts: 5 });
    await clock.advance(99);
    expect(clock.pending()).toEqual([1]);
    await clock.advance(1);
    expect(clock.pending()).toEqual([200]);
    await clock.advance(200);
    expect(await result).toBe(3);
  });

  it("gives up after the last attempt with the last fault", async () => {
    const clock = createManualClock();
    const { operation, calls } = failing(away, away, away, away);
    const result = retrying(operation, { clock, random: () => 0, attempts: 3 }).catch((fault: unknown) => fault);
    await clock.advance(10_000);
    expect([await result, calls()]).toEqual([away, 3]);
  });

  for (const refusal of [new Fault("forbidden", "no"), new TypeError("bug")]) {
    it(`does not try again after ${refusal.name} ${refusal.message}`, async () => {
      const { operation, calls } = failing(refusal);
      await expect(retrying(operation, { clock: createManualClock(), random: () => 0, attempts: 3 })).rejects.toBe(
        refusal,
      );
      expect(calls()).toBe(1);
    });
  }

  it("stops waiting when its signal fires", async () => {
    const stop = new AbortController();
    const clock = createManualClock();
    const result = retrying(failing(away).operation, { clock, random: () => 0, attempts: 3, signal: stop.signal });
    await clock.untilSleeping();
    stop.abort();
    await expect(result).rejects.toMatchObject({ code: "aborted" });
    expect(clock.pending()).toEqual([]);
  });
});
