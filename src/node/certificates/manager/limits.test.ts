import { describe, expect, it } from "vitest";
import { Fault } from "../../../kernel/outcome/index.ts";
import { createLackLimit, createPause, retryDelayMs } from "./limits.ts";

const waitAfter = (error: Fault, before: number, random = 0) => retryDelayMs({ error, before, random });

describe("the wait after a failed attempt", () => {
  it("doubles from two seconds to about a minute while the server is away", () => {
    const away = new Fault("unavailable", "no connection");
    expect([0, 1, 2, 3, 4, 99].map((before) => waitAfter(away, before))).toEqual(
      [2, 4, 8, 16, 32, 32].map((s) => s * 1_000),
    );
    expect(waitAfter(away, 99, 0.999)).toBeLessThan(64_000);
  });

  it.each(["denied", "failed-request", "untrusted"] as const)("is half a minute to ten minutes after %s", (code) => {
    expect(waitAfter(new Fault(code, "no"), 0)).toBe(30_000);
    expect(waitAfter(new Fault(code, "no"), 99, 0.999)).toBeLessThan(600_000);
  });

  it("is ten minutes where only an operator can help", () => {
    const revoked = new Fault("denied", "IdentityRevoked: it was sold", { detail: { next: "operator" } });
    expect(waitAfter(revoked, 0)).toBe(600_000);
  });

  it("is what the server asks for where that is longer", () => {
    const busy = new Fault("too-many-requests", "later", { detail: { retryAfterMs: 20_000 } });
    expect(waitAfter(busy, 0)).toBe(20_000);
  });
});

describe("the time without a valid pair", () => {
  it("begins anew when there was a pair in between, and when the clock was set back", () => {
    let nowMs = 10_000;
    const limit = createLackLimit({ now: () => nowMs, sleep: async () => undefined }, 1_000);
    limit.note(false, undefined);
    nowMs += 900;
    limit.note(true, undefined);
    limit.note(false, undefined);
    nowMs += 900;
    limit.note(false, undefined);
    nowMs -= 5_000;
    limit.note(false, undefined);
    expect(limit.remainingMs()).toBe(1_000);
    nowMs += 1_000;
    const end = () => limit.note(false, new Fault("denied", "who are you"));
    expect(end).toThrow(expect.objectContaining({ code: "timeout", retryable: true }));
    expect(end).toThrow(/for 1 s: who are you/);
  });
});

describe("a pause", () => {
  it("is over after its length, and does not grow when the clock is set back", () => {
    let nowMs = 10_000;
    const pause = createPause({ now: () => nowMs, sleep: async () => undefined });
    expect(pause.isOn()).toBe(false);
    pause.begin(1_000);
    expect(pause.isOn()).toBe(true);
    nowMs += 1_000;
    expect(pause.isOn()).toBe(false);
    pause.begin(1_000);
    nowMs -= 60_000;
    expect(pause.isOn()).toBe(false);
  });
});
