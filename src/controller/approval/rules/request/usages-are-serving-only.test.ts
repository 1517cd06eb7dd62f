import { describe, expect, it } from "vitest";
import { aCsr, withUsages } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { usagesAreServingOnly } from "./usages-are-serving-only.ts";

const ALLOWED: Record<string, string[]> = {
  "a kubelet's usages": ["digital signature", "server auth"],
  "with key encipherment, in another order (OCPBUGS-11225)": ["server auth", "key encipherment", "digital signature"],
};

const REFUSED: Record<string, string[]> = {
  "no usage": [],
  "a client": ["digital signature", "client auth"],
  "three usages of which one is a client's, which machine-approver lets pass": [
    "digital signature",
    "server auth",
    "client auth",
  ],
  "a signer of certificates": ["digital signature", "server auth", "cert sign"],
};

describe("usages-are-serving-only", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, usages) => {
    expect(usagesAreServingOnly.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, usages) => {
    expect(usagesAreServingOnly.judge(factsOf(aCsr(withUsages(...usages))))).toMatchObject({
      kind: "Deny",
      reason: "UsagesAreNotServingOnly",
    });
  });
});
