import { describe, expect, it } from "vitest";
import { aCsr, aNode, from } from "../../../../../test/builders/csr.ts";
import { factsOf, foundMachine } from "../../../../../test/builders/csr-facts.ts";
import { machineIsReady } from "./machine-is-ready.ts";

describe("machine-is-ready", () => {
  it.each([true, undefined])("passes when isBootstrapReady is %s: OpenShift does not say", (isBootstrapReady) => {
    expect(machineIsReady.judge(factsOf(aCsr(), { machine: foundMachine({ isBootstrapReady }) }))).toEqual({
      kind: "Pass",
    });
  });

  it("waits while the bootstrap data is not made", () => {
    const machine = foundMachine({ isBootstrapReady: false });
    expect(machineIsReady.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Wait",
      reason: "MachineIsNotReady",
    });
  });

  it("does not pass without a Machine, but is not about renewals", () => {
    expect(machineIsReady.judge(factsOf(aCsr(), { machine: { kind: "Absent" } }))).toMatchObject({ kind: "Wait" });
    const renewal = factsOf(aCsr(from(aNode("worker-3"))), { machine: foundMachine({ isBootstrapReady: false }) });
    expect(machineIsReady.judge(renewal)).toMatchObject({ kind: "Pass" });
  });
});
