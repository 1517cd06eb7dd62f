import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { requesterIsWithinItsLimit } from "./requester-is-within-its-limit.ts";

const standing = (older: number, limit: number) => ({ kind: "Present", value: { older, limit } }) as const;

describe("requester-is-within-its-limit", () => {
  it("passes the last one within the limit: a flood stops nobody's oldest requests (OCPBUGS-47508)", () => {
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr(), { standing: standing(99, 100) }))).toMatchObject({
      kind: "Pass",
    });
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr()))).toEqual({ kind: "Pass" });
  });

  it("lets the next one wait, and says that it is the requester's own doing", () => {
    expect(requesterIsWithinItsLimit.judge(factsOf(aCsr(), { standing: standing(100, 100) }))).toMatchObject({
      kind: "Wait",
      reason: "TooManyPending",
      message: expect.stringContaining("system:bootstrap:7f3a9c has 100 older requests"),
    });
  });

  it("waits where nobody counted", () => {
    const facts = factsOf(aCsr(), { standing: { kind: "NotRead", why: "no list" } });
    expect(requesterIsWithinItsLimit.judge(facts)).toMatchObject({ kind: "Wait", reason: "PendingIsNotCounted" });
  });
});
