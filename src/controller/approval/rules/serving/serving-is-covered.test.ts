import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { servingIsCovered } from "./serving-is-covered.ts";

describe("serving-is-covered", () => {
  it("passes under a policy", () => {
    expect(servingIsCovered.judge(factsOf(aCsr(), { policy: aPolicy() }))).toEqual({ kind: "Pass", note: "test" });
  });

  it("leaves the request to people, and says so, without a policy or when the policy says so", () => {
    expect(servingIsCovered.judge(factsOf(aCsr()))).toMatchObject({ kind: "Wait", reason: "ServingNeedsAPolicy" });
    const policy = aPolicy({ serving: { approve: false } });
    expect(servingIsCovered.judge(factsOf(aCsr(), { policy }))).toMatchObject({
      kind: "Wait",
      reason: "ServingIsLeftToPeople",
    });
  });
});
