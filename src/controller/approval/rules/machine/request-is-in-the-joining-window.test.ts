import { describe, expect, it } from "vitest";
import { aCsr, aNode, from } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf, foundMachine } from "../../../../../test/builders/csr-facts.ts";
import { requestIsInTheJoiningWindow } from "./request-is-in-the-joining-window.ts";

/** The request of the builder is as old as its Machine. */
const CREATED = Date.parse("2026-01-01T00:00:00Z");
const HOUR_MS = 3_600_000;

function judge(machineCreatedMs: number, policy = aPolicy()) {
  const machine = foundMachine({ createdMs: machineCreatedMs });
  return requestIsInTheJoiningWindow.judge(factsOf(aCsr(), { machine, policy }));
}

describe("request-is-in-the-joining-window", () => {
  it.each<[string, number]>([
    ["at once", CREATED],
    ["a millisecond before the window ends", CREATED - 2 * HOUR_MS + 1],
    ["within the skew of the clocks of two clusters", CREATED + 9_999],
  ])("passes a request %s", (_, createdMs) => {
    expect(judge(createdMs).kind).toBe("Pass");
  });

  it.each<[string, number, string]>([
    ["when the window is over", CREATED - 2 * HOUR_MS, "JoiningWindowIsOver"],
    ["that is older than its Machine", CREATED + 10_000, "RequestIsOlderThanItsMachine"],
  ])("refuses a request %s", (_, createdMs, reason) => {
    expect(judge(createdMs)).toMatchObject({ kind: "Deny", reason });
  });

  it("has a window that slow metal can have longer (issue 36)", () => {
    const policy = aPolicy({ client: { joinWindowSeconds: 86_400 } });
    expect(judge(CREATED - 23 * HOUR_MS, policy).kind).toBe("Pass");
    expect(judge(CREATED - 24 * HOUR_MS, policy).kind).toBe("Deny");
  });

  it("waits while the Machine has no age, and is not about renewals", () => {
    expect(judge(Number.NaN)).toMatchObject({ kind: "Wait", reason: "MachineAgeIsUnknown" });
    const old = foundMachine({ createdMs: 0 });
    const renewal = factsOf(aCsr(from(aNode("worker-3"))), { machine: old, policy: aPolicy() });
    expect(requestIsInTheJoiningWindow.judge(renewal)).toMatchObject({ kind: "Pass" });
  });
});
