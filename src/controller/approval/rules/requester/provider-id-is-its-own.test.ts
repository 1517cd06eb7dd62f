import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import type { ApprovalFacts, ProviderIdFacts } from "../../facts.ts";
import { providerIdIsItsOwn } from "./provider-id-is-its-own.ts";

const judge = (providerId: ApprovalFacts["providerId"]) => providerIdIsItsOwn.judge(factsOf(aCsr(), { providerId }));
const saying = (facts: Partial<ProviderIdFacts>) =>
  judge({ kind: "Present", value: { asked: "aws:///i-3", ofNode: undefined, others: [], ...facts } });

describe("provider-id-is-its-own", () => {
  it.each<[string, ReturnType<typeof judge>]>([
    ["a request without one, and every first request", judge({ kind: "Absent" })],
    ["that of its Node, whoever else claims it", saying({ ofNode: "aws:///i-3", others: ["node liar"] })],
    ["one that nobody has, where its Node says none", saying({})],
  ])("passes %s", (_, finding) => expect(finding.kind).toBe("Pass"));

  it.each<[string, Partial<ProviderIdFacts>]>([
    ["another than its Node's", { ofNode: "aws:///i-4" }],
    ["that of another Node", { others: ["node worker-4"] }],
    ["that of a Machine that waits for another node", { others: ["Machine default/machine-4"] }],
  ])("refuses %s", (_, facts) => {
    expect(saying(facts)).toMatchObject({ kind: "Deny", reason: "ProviderIdIsNotItsOwn" });
  });

  it("waits while nobody knows whose it is", () => {
    expect(judge({ kind: "NotRead", why: "not yet" })).toMatchObject({ kind: "Wait", reason: "ProviderIdIsNotRead" });
  });
});
