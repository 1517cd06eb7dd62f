import { describe, expect, it } from "vitest";
import { aCsr, withUsages } from "../../../test/builders/csr.ts";
import { factsOf } from "../../../test/builders/csr-facts.ts";
import { VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { judgeApproval } from "./judge.ts";
import { encodeVerdict, parseVerdict, verdictOn } from "./record.ts";

describe("the verdict on the object", () => {
  it("comes back as it went in, with the whole trail", () => {
    const csr = aCsr(withUsages("server auth"));
    const judgement = judgeApproval(factsOf(csr));
    expect(parseVerdict(encodeVerdict(judgement, csr))).toEqual({
      verdict: "Deny",
      rule: "usages-are-client-only",
      reason: "UsagesAreNotClientOnly",
      message: judgement.verdict.message,
      uid: csr.metadata.uid,
      trail: judgement.trail,
    });
  });

  it("says with Wait when it is looked at again", () => {
    const judgement = judgeApproval(factsOf(aCsr(), { node: { kind: "NotRead", why: "no list yet" } }));
    expect(parseVerdict(encodeVerdict(judgement, aCsr()))?.retryAfterMs).toBeGreaterThan(0);
  });

  it("is the same text for the same judgement, later too", () => {
    const csr = aCsr();
    const later = judgeApproval(factsOf(csr, { nowMs: 4_000_000_000_000 }));
    expect(encodeVerdict(judgeApproval(factsOf(csr)), csr)).toBe(encodeVerdict(later, csr));
  });

  it("is one only on the object that it is about: nobody knows its uid before it is there", () => {
    const csr = aCsr();
    const words = encodeVerdict(judgeApproval(factsOf(csr)), csr);
    const carrying = (uid: string) => ({ metadata: { uid, annotations: { [VERDICT_ANNOTATION]: words } } });
    expect(verdictOn(carrying(csr.metadata.uid ?? ""))).toMatchObject({ verdict: "Allow" });
    expect(verdictOn(carrying("another"))).toBeUndefined();
    expect(verdictOn(csr)).toBeUndefined();
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
