import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withSan, withSigner, withSubject, withUsages } from "../../../test/builders/csr.ts";
import { factsOf } from "../../../test/builders/csr-facts.ts";
import { APPROVAL_RULES, judgeApproval, judgeRequest, SIGNER_RULES } from "./judge.ts";

const ids = APPROVAL_RULES.map(({ id }) => id);

describe("judgeApproval", () => {
  it("allows a first certificate when all rules hold, and shows what each one saw", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr()));
    expect(verdict).toMatchObject({ kind: "Allow", reason: "NodeMayJoin" });
    expect(trail.map(({ rule, outcome }) => [rule, outcome])).toEqual(ids.map((id) => [id, "pass"]));
    expect(trail.find(({ rule }) => rule === "subject-is-a-node")?.note).toBe("system:node:worker-3");
  });

  it("allows a renewal under its own reason", () => {
    const { verdict } = judgeApproval(factsOf(aCsr(from(aNode("worker-3")))));
    expect(verdict).toMatchObject({ kind: "Allow", reason: "NodeMayRenew" });
  });

  it("lets the first rule that does not hold decide; what follows is not reached", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr(withUsages("server auth"), withSan({ dnsNames: ["x"] }))));
    expect(verdict).toMatchObject({ kind: "Deny", rule: "usages-are-client-only", reason: "UsagesAreNotClientOnly" });
    expect(trail.map(({ outcome }) => outcome)).toEqual([
      "pass",
      "pass",
      "pass",
      "pass",
      "deny",
      "not-reached",
      "not-reached",
      "not-reached",
      "not-reached",
    ]);
  });

  it("has no opinion about a foreign signer and looks no further", () => {
    const { verdict, trail } = judgeApproval(factsOf(aCsr(withSigner("example.com/other"))));
    expect(verdict.kind).toBe("NoOpinion");
    expect(trail.slice(1).every(({ outcome }) => outcome === "not-reached")).toBe(true);
  });

  it("waits, and says when it looks again, when a fact was not read", () => {
    const { verdict } = judgeApproval(factsOf(aCsr(), { node: { kind: "NotRead", why: "no list yet" } }));
    expect(verdict).toMatchObject({ kind: "Wait", rule: "node-is-not-registered-yet", message: "no list yet" });
  });

  it("does not repeat a name of 60 KB", () => {
    const commonName = "x".repeat(20_000);
    const { verdict } = judgeApproval(factsOf(aCsr(withSubject({ commonName, organizations: ["system:nodes"] }))));
    expect(verdict.kind).toBe("Deny");
    expect(verdict.message.length).toBeLessThan(500);
  });

  it("never allows on a request that cannot be read, whichever rule is asked", () => {
    const facts = factsOf(aCsr(), { request: { kind: "Unreadable", reason: "RequestIsUnreadable", message: "no" } });
    const needRequest = APPROVAL_RULES.filter(({ id }) => !["signer-is-served", "usages-are-client-only"].includes(id));
    for (const rule of needRequest) expect(rule.judge(facts).kind, rule.id).toBe("Deny");
  });
});

describe("judgeRequest", () => {
  it("holds the signer to the rules about the request alone", () => {
    expect(SIGNER_RULES.every(({ id }) => ids.includes(id))).toBe(true);
    expect(judgeRequest(factsOf(aCsr())).verdict.kind).toBe("Allow");
    expect(judgeRequest(factsOf(aCsr(withSan({ dnsNames: ["x"] })))).verdict.kind).toBe("Deny");
  });
});

describe("the rules", () => {
  it("have ids of their own and a sentence each", () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const { sentence } of APPROVAL_RULES) expect(sentence).toMatch(/^[a-z].*[^.]$/);
  });
});
