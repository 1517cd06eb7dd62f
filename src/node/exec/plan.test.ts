import { describe, expect, it } from "vitest";
import { encodeExpiry, planExpiry } from "./plan.ts";

const nowMs = 1_000_000;

describe("the expiry that client-go is told", () => {
  const examples: Record<string, [number, number, number]> = {
    "is when the renewal is due": [nowMs + 600_000, nowMs + 900_000, nowMs + 600_000],
    "lies before the certificate's end": [nowMs + 900_000, nowMs + 900_000, nowMs + 890_000],
    "is never in the past, even for a certificate in its last second": [nowMs + 1_000, nowMs + 1_000, nowMs + 5_000],
    "is never in the past when the due moment has gone by": [nowMs - 1, nowMs + 900_000, nowMs + 5_000],
  };
  for (const [sentence, [untilMs, notAfterMs, expected]] of Object.entries(examples)) {
    it(sentence, () => expect(planExpiry({ untilMs, notAfterMs, nowMs })).toBe(expected));
  }

  it("is written in whole seconds, rounded down", () => {
    expect(encodeExpiry(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe("2026-01-02T03:04:05Z");
  });
});
