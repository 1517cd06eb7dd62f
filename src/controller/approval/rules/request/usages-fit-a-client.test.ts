import { describe, expect, it } from "vitest";
import { aCsr, withUsages } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { usagesFitAClient } from "./usages-fit-a-client.ts";

describe("usages-fit-a-client", () => {
  it.each([
    [["client auth"]],
    [["client auth", "digital signature"]],
    [["key encipherment", "client auth", "digital signature"]],
  ])("passes %j", (usages) => {
    expect(usagesFitAClient.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each([[["digital signature"]], [["client auth", "server auth"]], [["client auth", "cert sign"]], [[]]])(
    "refuses %j",
    (usages) => {
      const finding = usagesFitAClient.judge(factsOf(aCsr(withUsages(...usages))));
      expect(finding).toMatchObject({ kind: "Deny", reason: "UsagesDoNotFitAClient" });
    },
  );
});
