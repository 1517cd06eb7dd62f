import { describe, expect, it } from "vitest";
import { aCsr, withUsages } from "../../../test/builders/csr.ts";
import { factsOf } from "../../../test/builders/csr-facts.ts";
import { judgeApproval } from "./judge.ts";
import { encodeVerdict, parseVerdict } from "./record.ts";

describe("the verdict on the object", () => {
  it("comes back as it went in, with the whole trail", () => {
    const judgement = judgeApproval(factsOf(aCsr(withUsages("server auth"))));
    expect(parseVerdict(encodeVerdict(judgement))).toEqual({
      verdict: "Deny",
      rule: "usages-are-client-only",
      reason: "UsagesAreNotClientOnly",
      message: judgement.verdict.message,
      trail: judgement.trail,
    });
  });

  it("says with Wait when it is looked at again", () => {
    const judgement = judgeApproval(factsOf(aCsr(), { node: { kind: "NotRead", why: "no list yet" } }));
    expect(parseVerdict(encodeVerdict(judgement))?.retryAfterMs).toBeGreaterThan(0);
  });

  it("is the same text for the same judgement, later too", () => {
    const csr = aCsr();
    const later = judgeApproval(factsOf(csr, { nowMs: 4_000_000_000_000 }));
    expect(encodeVerdict(judgeApproval(factsOf(csr)))).toBe(encodeVerdict(later));
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '{"verdict":"Approved"}',
    '{"verdict":"Allow","rule":"r","reason":"r","message":"m"}',
    '{"verdict":"Allow","rule":"r","reason":"r","message":"m","trail":[{"rule":"r","outcome":"perhaps"}]}',
    " ".repeat(70_000),
  ])("is not read from a stranger's annotation: %.40s", (text) => {
    expect(parseVerdict(text)).toBeUndefined();
  });
});
