import { describe, expect, it } from "vitest";
import { NODE, PROOF_UID } from "../../../test/builders/exchange.ts";
import { facts, INSECURE_REFUSALS, letIn, own } from "../../../test/builders/refusals/insecure.ts";
import { MADE_FOR_ANNOTATION } from "../../api/countersign/index.ts";
import { provesNothing } from "../rules/index.ts";
import { judgeInsecure } from "./judge.ts";
import { INSECURE_PROVIDER } from "./verifier.ts";

describe("the insecure provider", () => {
  it("is let in once, where the cluster says so, and called what it is", () => {
    const { verdict } = judgeInsecure(facts());
    expect([verdict.kind, verdict.reason]).toEqual(["Allow", "Unattested"]);
    expect(verdict.message).toContain("level Unattested");
  });

  it("may ask again with the same key within the hour", () => {
    expect(judgeInsecure(facts({}, { identity: letIn(own) })).verdict.kind).toBe("Allow");
  });

  it("may ask again after a crash between the identity that was made for its request and the pins", () => {
    const made = (uid: string) => {
      const metadata = { annotations: { [MADE_FOR_ANNOTATION]: uid } };
      const value = { apiVersion: "", kind: "", metadata, spec: { nodeName: NODE } };
      return judgeInsecure(facts({}, { identity: { kind: "Present", value } })).verdict.reason;
    };
    expect([made(PROOF_UID), made("another")]).toEqual(["Unattested", "EvidenceRequired"]);
  });

  it("is let in under a name that is free again", () => {
    const value = { apiVersion: "", kind: "", metadata: {}, spec: { nodeName: NODE, retired: true } };
    const mayJoinUnenrolled = true;
    const given = facts({}, { identity: { kind: "Present", value }, mayJoinUnenrolled });
    expect(judgeInsecure(given).verdict.reason).toBe("Unattested");
  });

  it.each(Object.entries(INSECURE_REFUSALS))("is refused %s", (_, [given, reason]) => {
    expect(judgeInsecure(given()).verdict.reason).toBe(reason);
  });
});

it("proves nothing, by its contract and by its name", () => {
  expect(provesNothing(INSECURE_PROVIDER.name)).toBe(INSECURE_PROVIDER.provesNothing);
});
