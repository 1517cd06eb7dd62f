import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf, foundMachine } from "../../../../../test/builders/csr-facts.ts";
import { machineHasNoOtherNode } from "./machine-has-no-other-node.ts";

describe("machine-has-no-other-node", () => {
  it.each([undefined, "worker-3"])("passes a Machine whose node is %s", (nodeName) => {
    expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine: foundMachine({ nodeName }) }))).toEqual({
      kind: "Pass",
    });
  });

  it("refuses a Machine that is another node", () => {
    const facts = factsOf(aCsr(), { machine: foundMachine({ nodeName: "worker-4" }) });
    expect(machineHasNoOtherNode.judge(facts)).toMatchObject({ kind: "Deny", reason: "MachineHasANode" });
  });

  it("does not pass without a Machine", () => {
    expect(machineHasNoOtherNode.judge(factsOf(aCsr()))).toMatchObject({ kind: "Wait", reason: "MachinesAreNotRead" });
  });
});
