import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { evidenceHolds, servingEvidenceHolds } from "./evidence-holds.ts";

describe("evidence-holds", () => {
  it("passes what the verifier passes, with its note", () => {
    const evidence = { kind: "Present", value: { kind: "Pass", note: "tpm ek:5c1e" } } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toEqual({ kind: "Pass", note: "tpm ek:5c1e" });
  });

  it("says of a refusal what the verifier says", () => {
    const evidence = {
      kind: "Present",
      value: { kind: "Deny", reason: "EndorsementKeyChanged", message: "other key" },
    } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toEqual(evidence.value);
  });

  it("refuses a request without evidence", () => {
    expect(evidenceHolds.judge(factsOf(aCsr(), { policy: aPolicy() }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
      message: expect.stringContaining("policy test"),
    });
  });

  it("waits where nobody could verify", () => {
    const evidence = { kind: "NotRead", why: "no verifier" } as const;
    expect(evidenceHolds.judge(factsOf(aCsr(), { evidence }))).toMatchObject({
      kind: "Wait",
      reason: "EvidenceIsNotRead",
    });
  });

  it("is asked of serving requests only where the policy says so", () => {
    expect(servingEvidenceHolds.judge(factsOf(aCsr(), { policy: aPolicy() }))).toMatchObject({ kind: "Pass" });
    const policy = aPolicy({ serving: { evidence: "Required" } });
    expect(servingEvidenceHolds.judge(factsOf(aCsr(), { policy }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
    });
  });
});
