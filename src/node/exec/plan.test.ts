import { describe, expect, it } from "vitest";
import { encodeExpiry, planExpiry, planRun, RETRY_RENEWAL_MS } from "./plan.ts";

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 0, 1);
/** A life of ten hours of which this many have passed. */
const aged = (hours: number) => ({ notBeforeMs: nowMs - hours * HOUR_MS, notAfterMs: nowMs + (10 - hours) * HOUR_MS });

describe("a run of the plugin", () => {
  const plans: Record<string, [number, boolean, string]> = {
    "uses a certificate with more than 20 % left": [7.99, true, "use"],
    "renews when 20 % are left": [8, true, "renew"],
    "starts over when nothing is left": [10, true, "bootstrap"],
    "does not renew with a provider that may not": [9.9, false, "use"],
    "starts over with a provider that may not renew, at the end": [10, false, "bootstrap"],
  };
  for (const [sentence, [hours, canRenew, kind]] of Object.entries(plans)) {
    it(sentence, () => expect(planRun({ current: aged(hours), nowMs, canRenew }).kind).toBe(kind));
  }

  it("starts over without a certificate", () => {
    expect(planRun({ current: undefined, nowMs, canRenew: true })).toEqual({
      kind: "bootstrap",
      why: "no-certificate",
    });
  });
});

describe("the expiry that client-go is told", () => {
  const told = (hours: number, more: { jitter?: number; canRenew?: boolean } = {}) => {
    const life = aged(hours);
    const facts = { life, jitter: 0, canRenew: true, nowMs, ...more };
    return planExpiry({ ...facts, plan: planRun({ current: life, nowMs, canRenew: facts.canRenew }) });
  };

  it("lies between 80 and 90 % of the lifetime, by the jitter, so that the next run renews", () => {
    expect(told(0)).toBe(nowMs + 8 * HOUR_MS);
    expect(told(0, { jitter: 0.999 })).toBeCloseTo(nowMs + 9 * HOUR_MS, -5);
  });
  it("lies just before the end where nothing is renewed, whatever the jitter", () => {
    expect(told(1, { canRenew: false, jitter: 0.9 })).toBe(nowMs + 9 * HOUR_MS - 10_000);
  });
  it("is soon after a renewal that did not succeed", () => expect(told(9)).toBe(nowMs + RETRY_RENEWAL_MS));
  it("lies before the end even then", () => expect(told(10 - 30 / 3600)).toBe(nowMs + 20_000));
  it("is never in the past, even for a certificate in its last second", () => {
    expect(told(10 - 1 / 3600)).toBe(nowMs + 5_000);
  });

  it("is written in whole seconds, rounded down", () => {
    expect(encodeExpiry(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe("2026-01-02T03:04:05Z");
  });
});
