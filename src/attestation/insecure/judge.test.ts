import { describe, expect, it } from "vitest";
import { facts, INSECURE_REFUSALS, letIn, own } from "../../../test/builders/refusals/insecure.ts";
import { judgeInsecure } from "./judge.ts";

describe("the insecure provider", () => {
  it("is let in once, where the cluster says so, and called what it is", () => {
    const { verdict } = judgeInsecure(facts());
    expect([verdict.kind, verdict.reason]).toEqual(["Allow", "Unattested"]);
    expect(verdict.message).toContain("level Unattested");
  });

  it("may ask again with the same key within the hour", () => {
    expect(judgeInsecure(facts({}, { identity: letIn(own) })).verdict.kind).toBe("Allow");
  });

  it("may ask again where it was let in after an operator opened a node that was enrolled by its TPM", () => {
    const identity = letIn(own);
    if (identity.kind !== "Present") throw new Error("absent");
    const spec = { ...identity.value.spec, tpm: { ek: { spkiSha256: "00".repeat(32) } } };
    const enrolled = { kind: "Present", value: { ...identity.value, spec } } as const;
    expect(judgeInsecure(facts({}, { identity: enrolled })).verdict.kind).toBe("Allow");
  });

  it.each(Object.entries(INSECURE_REFUSALS))("is refused %s", (_, [given, reason]) => {
    expect(judgeInsecure(given()).verdict.reason).toBe(reason);
  });
});
