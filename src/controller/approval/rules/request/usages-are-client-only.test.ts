import { describe, expect, it } from "vitest";
import { aCsr, withUsages } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { usagesAreClientOnly } from "./usages-are-client-only.ts";

const ALLOWED: Record<string, string[]> = {
  "a kubelet's usages": ["digital signature", "client auth"],
  "in another order": ["client auth", "digital signature"],
  "with key encipherment": ["digital signature", "key encipherment", "client auth"],
};

const REFUSED: Record<string, string[]> = {
  "no usage": [],
  "client auth alone": ["client auth"],
  "a server": ["digital signature", "server auth"],
  "a client that is a server too": ["digital signature", "client auth", "server auth"],
  "key encipherment in the place of the signature": ["key encipherment", "client auth"],
  "a signer of certificates": ["digital signature", "client auth", "cert sign"],
  "one usage twice": ["client auth", "client auth"],
};

describe("usages-are-client-only", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, usages) => {
    expect(usagesAreClientOnly.judge(factsOf(aCsr(withUsages(...usages))))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, usages) => {
    expect(usagesAreClientOnly.judge(factsOf(aCsr(withUsages(...usages))))).toMatchObject({
      kind: "Deny",
      reason: "UsagesAreNotClientOnly",
    });
  });
});
