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

  describe("while the Machine has no node", () => {
    const machine = foundMachine();

    it("waits for the name that has the Machine already, and says who it is", () => {
      const holders = { kind: "Present", value: [{ nodeName: "worker-4", by: "request csr-first" }] } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders }))).toMatchObject({
        kind: "Wait",
        reason: "MachineIsClaimed",
        message: expect.stringContaining("as node worker-4 already, by request csr-first"),
      });
    });

    it("passes when nobody else has it, and when its nodeRef says that the one who asks is right", () => {
      const nobody = { kind: "Present", value: [] } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders: nobody }))).toEqual({ kind: "Pass" });
      const holders = { kind: "Present", value: [{ nodeName: "worker-4", by: "request csr-first" }] } as const;
      const linked = foundMachine({ nodeName: "worker-3" });
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine: linked, holders }))).toEqual({ kind: "Pass" });
    });

    it("waits while it is not known who else may have it", () => {
      const holders = { kind: "NotRead", why: "no list" } as const;
      expect(machineHasNoOtherNode.judge(factsOf(aCsr(), { machine, holders }))).toMatchObject({
        kind: "Wait",
        reason: "HoldersAreNotRead",
      });
    });
  });

  it("does not pass without a Machine", () => {
    expect(machineHasNoOtherNode.judge(factsOf(aCsr()))).toMatchObject({ kind: "Wait", reason: "MachinesAreNotRead" });
  });
});
