import { describe, expect, it } from "vitest";
import { aCsr, withExpiration, withSigner } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { KUBELET_SERVING_SIGNER } from "../../../../api/certificates/index.ts";
import { lifetimeIsAllowed } from "./lifetime-is-allowed.ts";

const policy = aPolicy({ client: { maxExpirationSeconds: 3_600 }, serving: { maxExpirationSeconds: 7_200 } });

describe("lifetime-is-allowed", () => {
  it("passes a request without a wish, one at the bound, and any without a policy", () => {
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(), { policy }))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(3_600)), { policy }))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(1e9))))).toEqual({ kind: "Pass" });
  });

  it("refuses one second more", () => {
    const finding = lifetimeIsAllowed.judge(factsOf(aCsr(withExpiration(3_601)), { policy }));
    expect(finding).toMatchObject({ kind: "Deny", reason: "LifetimeIsTooLong" });
  });

  it("holds a serving request to the bound of serving requests", () => {
    const serving = (seconds: number) =>
      factsOf(aCsr(withSigner(KUBELET_SERVING_SIGNER), withExpiration(seconds)), { policy });
    expect(lifetimeIsAllowed.judge(serving(7_200))).toEqual({ kind: "Pass" });
    expect(lifetimeIsAllowed.judge(serving(7_201))).toMatchObject({ kind: "Deny" });
  });
});
