import { describe, expect, it } from "vitest";
import { requirementsOfReview } from "./index.ts";

describe("the field selector of an access review", () => {
  const own = { field: "spec.nodeName", operator: "=", value: "n1" };

  it("is read as text or as requirements", () => {
    expect(requirementsOfReview({ rawSelector: "spec.nodeName=n1" })).toEqual([own]);
    const requirements = [
      { key: "spec.nodeName", operator: "In", values: ["n1"] },
      { key: "a", operator: "NotIn", values: ["b"] },
    ];
    expect(requirementsOfReview({ requirements })).toEqual([own, { field: "a", operator: "!=", value: "b" }]);
  });

  it.each([
    undefined,
    {},
    { rawSelector: "nonsense" },
    { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n1", "n2"] }] },
    { requirements: [{ key: "spec.nodeName", operator: "In", values: [] }] },
    { requirements: [{ key: "spec.nodeName", operator: "Exists" }] },
    { requirements: [{}] },
  ])("requires nothing when it cannot be one: %j", (selector) => {
    expect(requirementsOfReview(selector)).toEqual([]);
  });
});
