import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, forNode } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { CN, O, OU, rawName } from "../../../../../test/builders/raw-name.ts";
import { subjectHasNothingElse } from "./subject-has-nothing-else.ts";

const ALLOWED: Record<string, CsrModifier> = {
  "one organization and one common name": forNode("worker-3"),
  "in the other order": rawName([CN, "system:node:worker-3"], [O, "system:nodes"]),
};

const REFUSED: Record<string, CsrModifier> = {
  "a second common name, of which the last counts": rawName(
    [O, "system:nodes"],
    [CN, "system:node:a"],
    [CN, "system:node:b"],
  ),
  "an organizational unit": rawName([O, "system:nodes"], [OU, "x"], [CN, "system:node:a"]),
  "the user id that an API server reads": rawName(
    [O, "system:nodes"],
    ["1.3.6.1.4.1.57683.2", "0"],
    [CN, "system:node:a"],
  ),
  "no common name": rawName([O, "system:nodes"], [OU, "x"]),
};

describe("subject-has-nothing-else", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(subjectHasNothingElse.judge(factsOf(aCsr(modifier)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, modifier) => {
    expect(subjectHasNothingElse.judge(factsOf(aCsr(modifier)))).toMatchObject({
      kind: "Deny",
      reason: "SubjectHasForeignAttributes",
    });
  });
});
