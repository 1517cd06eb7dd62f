import { describe, expect, it } from "vitest";
import { planRotation, type RotationFacts } from "./plan.ts";

const calm: RotationFacts = {
  current: { notBeforeMs: 0, notAfterMs: 1_000 },
  nowMs: 500,
  jitter: 0.5,
  canRenew: true,
  isEnabled: true,
  canAsk: true,
  isRefused: false,
  lacksNames: false,
  isAsked: false,
};

describe("the next step of a certificate manager", () => {
  const STEPS: Readonly<Record<string, [Partial<RotationFacts>, object]>> = {
    "waits until 80 % in the middle of the window": [{}, { kind: "wait", untilMs: 800 }],
    "waits until 70 % at its earliest": [{ jitter: 0 }, { kind: "wait", untilMs: 700 }],
    "rotates when due": [{ nowMs: 800 }, { kind: "rotate", why: "due" }],
    "rotates without a certificate": [{ current: undefined }, { kind: "rotate", why: "no-certificate" }],
    "rotates when it has expired": [{ nowMs: 1_000 }, { kind: "rotate", why: "expired" }],
    "rotates when the server refuses it": [{ isRefused: true }, { kind: "rotate", why: "refused" }],
    "rotates when the names have changed": [{ lacksNames: true }, { kind: "rotate", why: "names-changed" }],
    "rotates when somebody asks": [{ isAsked: true }, { kind: "rotate", why: "asked" }],
    "uses to the end what may not be renewed": [
      { nowMs: 950, canRenew: false },
      { kind: "wait", untilMs: 1_000 },
    ],
    "does nothing while it is switched off": [
      { isEnabled: false, current: undefined, isAsked: true },
      { kind: "wait", untilMs: Number.POSITIVE_INFINITY },
    ],
    "does nothing for a machine without an address": [
      { canAsk: false, current: undefined },
      { kind: "wait", untilMs: Number.POSITIVE_INFINITY },
    ],
  };

  it.each(Object.entries(STEPS))("%s", (_, [facts, step]) => {
    expect(planRotation({ ...calm, ...facts })).toEqual(step);
  });
});
