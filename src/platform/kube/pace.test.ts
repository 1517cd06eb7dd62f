import { describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { backoffMs, WATCH_BACKOFF, waitAfterMs } from "./pace.ts";

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
