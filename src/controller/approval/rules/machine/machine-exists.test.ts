import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { aMachine, factsOf, foundMachine } from "../../../../../test/builders/csr-facts.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { machineExists } from "./machine-exists.ts";

const present = (value: Extract<ApprovalFacts["machine"], { kind: "Present" }>["value"]) =>
  ({ kind: "Present", value }) as const;

const WAITING: Record<string, [ApprovalFacts["machine"], string]> = {
  "the Machines are not read (a momentarily empty list, Bug 1687295)": [
    { kind: "NotRead", why: "no list" },
    "MachinesAreNotRead",
  ],
  "no Machine has the name yet: its addresses come late (issue 40)": [{ kind: "Absent" }, "MachineIsUnknown"],
  "two Machines have the name, of which machine-approver takes the first": [
    present({ kind: "Several", names: ["a/x", "a/y"], nodeNames: [] }),
    "SeveralMachinesMatch",
  ],
  "there are Machines of several clusters and nobody said which is this one": [
    present({ kind: "ClusterIsUnsaid", clusters: ["one", "two"] }),
    "ClusterIsUnsaid",
  ],
};

describe("machine-exists", () => {
  it("passes when there is exactly one", () => {
    expect(machineExists.judge(factsOf(aCsr(), { machine: foundMachine() }))).toEqual({
      kind: "Pass",
      note: "Machine default/machine-3",
    });
  });

  it.each(Object.entries(WAITING))("waits while %s", (_, [machine, reason]) => {
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({ kind: "Wait", reason });
  });

  it("refuses a Machine that is being deleted, which machine-approver accepts", () => {
    const machine = foundMachine({ isDeleting: true });
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Deny",
      reason: "MachineIsBeingDeleted",
    });
  });

  it("refuses a request that says another provider ID than its Machine's", () => {
    const machine = present({ kind: "OtherProviderId", machine: aMachine(), providerId: "aws:///other" });
    expect(machineExists.judge(factsOf(aCsr(), { machine }))).toMatchObject({
      kind: "Deny",
      reason: "ProviderIdIsAnother",
    });
  });
});
