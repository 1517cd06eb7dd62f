import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { requesterHasAccess } from "./requester-has-access.ts";

describe("requester-has-access", () => {
  it.each(["nodeclient", "selfnodeclient"] as const)("passes whom the authorizer grants %s", (right) => {
    const access = { kind: "Present", value: { right, isAllowed: true } } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toEqual({ kind: "Pass", note: right });
  });

  it("waits where the right is missing: granting it later must be enough", () => {
    const access = { kind: "Present", value: { right: "nodeclient", isAllowed: false } } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toMatchObject({
      kind: "Wait",
      reason: "AccessIsNotGranted",
    });
  });

  it("waits where nobody could ask", () => {
    const access = { kind: "NotRead", why: "no answer" } as const;
    expect(requesterHasAccess.judge(factsOf(aCsr(), { access }))).toMatchObject({
      kind: "Wait",
      reason: "AccessIsNotRead",
    });
  });
});
