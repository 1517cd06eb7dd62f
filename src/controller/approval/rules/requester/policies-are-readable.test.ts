import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { policiesAreReadable } from "./policies-are-readable.ts";

describe("policies-are-readable", () => {
  it("passes with and without a policy", () => {
    expect(policiesAreReadable.judge(factsOf(aCsr()))).toEqual({ kind: "Pass", note: "no policy covers it" });
    expect(policiesAreReadable.judge(factsOf(aCsr(), { policy: aPolicy() }))).toEqual({
      kind: "Pass",
      note: "test, Enforce",
    });
  });

  it("waits while a policy cannot be read: it may be the one that would refuse", () => {
    const finding = policiesAreReadable.judge(factsOf(aCsr(), { brokenPolicies: ["JoinPolicy x cannot be read: y"] }));
    expect(finding).toMatchObject({ kind: "Wait", reason: "PolicyIsUnreadable" });
  });
});
