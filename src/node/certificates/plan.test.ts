import { describe, expect, it } from "vitest";
import { type CertificateFacts, jitterOf, planCertificate, rotationTime, usefulLife } from "./plan.ts";

const current = { notBeforeMs: 1_000, notAfterMs: 11_000 };
const base: CertificateFacts = { current, nowMs: 5_000, jitter: 0.5, canRenew: true };

describe("the plan for a certificate", () => {
  const examples: Record<string, [Partial<CertificateFacts>, unknown]> = {
    "bootstraps without one": [{ current: undefined }, { kind: "bootstrap", why: "no-certificate" }],
    "uses a young one until it is due": [{}, { kind: "use", untilMs: 9_000 }],
    "uses it before its first second, because the server's clock decides": [
      { nowMs: 0 },
      { kind: "use", untilMs: 9_000 },
    ],
    "renews at 70 % with the smallest jitter": [
      { jitter: 0, nowMs: 8_000 },
      { kind: "renew", dueMs: 8_000, untilMs: 11_000 },
    ],
    "still uses at 89 % with the largest jitter": [
      { jitter: 0.999_999, nowMs: 9_900 },
      { kind: "use", untilMs: 9_999 },
    ],
    "renews at 90 % at the latest": [
      { jitter: 0.999_999, nowMs: 10_000 },
      { kind: "renew", dueMs: 9_999, untilMs: 11_000 },
    ],
    "bootstraps in the millisecond of the end": [{ nowMs: 11_000 }, { kind: "bootstrap", why: "expired" }],
    "uses to the end what may not be renewed": [
      { canRenew: false, nowMs: 10_999 },
      { kind: "use", untilMs: 11_000 },
    ],
    "bootstraps after the end of what may not be renewed": [
      { canRenew: false, nowMs: 11_000 },
      { kind: "bootstrap", why: "expired" },
    ],
  };
  for (const [sentence, [facts, expected]] of Object.entries(examples)) {
    it(sentence, () => expect(planCertificate({ ...base, ...facts })).toEqual(expected));
  }

  it("keeps the moment between 70 % and 90 % for every jitter", () => {
    for (let jitter = 0; jitter < 1; jitter += 1 / 64) {
      const share = (rotationTime(current, jitter) - 1_000) / 10_000;
      expect(share).toBeGreaterThanOrEqual(0.7);
      expect(share).toBeLessThan(0.9);
    }
  });

  it("draws the same jitter from the same certificate, within [0, 1)", () => {
    const leaf = Uint8Array.from({ length: 64 }, (_, index) => 255 - index);
    expect(jitterOf(leaf)).toBe(jitterOf(leaf.slice()));
    expect(jitterOf(new Uint8Array(64).fill(255))).toBeLessThan(1);
    expect(jitterOf(new Uint8Array(3))).toBe(0);
  });

  it("counts a life from when it was stored, where that lies within it: signers date certificates back", () => {
    expect(usefulLife(current, 9_000)).toEqual({ notBeforeMs: 9_000, notAfterMs: 11_000 });
    for (const storedMs of [0, 1_000, 11_000, 99_000]) expect(usefulLife(current, storedMs)).toEqual(current);
  });
});
