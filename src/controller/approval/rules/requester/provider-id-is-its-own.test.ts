import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import type { ApprovalFacts, MachinesOfProvider, ProviderIdFacts } from "../../facts.ts";
import { providerIdIsItsOwn } from "./provider-id-is-its-own.ts";

const judge = (providerId: ApprovalFacts["providerId"]) => providerIdIsItsOwn.judge(factsOf(aCsr(), { providerId }));
const saying = (facts: Partial<ProviderIdFacts>) =>
  judge({
    kind: "Present",
    value: { asked: "aws:///i-3", ofNode: undefined, nodes: [], machines: { kind: "Absent" }, ...facts },
  });
const unread = { kind: "NotRead", why: "the management cluster is away" } as const;
const machines = (of: Partial<MachinesOfProvider>): ProviderIdFacts["machines"] => ({
  kind: "Present",
  value: { taken: [], waiting: [], ...of },
});

describe("provider-id-is-its-own", () => {
  it.each<[string, ReturnType<typeof judge>]>([
    ["a request without one, and every first request", judge({ kind: "Absent" })],
    ["that of its Node, whatever Node claims it", saying({ ofNode: "aws:///i-3", nodes: ["node liar"] })],
    [
      "that of its Node, which a Machine has that is no node yet",
      saying({ ofNode: "aws:///i-3", machines: machines({ waiting: ["Machine default/machine-3"] }) }),
    ],
    ["that of its Node, while the Machines are not read", saying({ ofNode: "aws:///i-3", machines: unread })],
    ["one that nobody has, where its Node says none", saying({})],
  ])("passes %s", (_, finding) => expect(finding.kind).toBe("Pass"));

  it.each<[string, Partial<ProviderIdFacts>]>([
    ["another than its Node's", { ofNode: "aws:///i-4" }],
    ["another than its Node's, while the Machines are not read", { ofNode: "aws:///i-4", machines: unread }],
    ["that of another Node", { nodes: ["node worker-4"] }],
    ["that of another Node, while the Machines are not read", { nodes: ["node worker-4"], machines: unread }],
    [
      "that of a Machine that waits for another node",
      { machines: machines({ waiting: ["Machine default/machine-4"] }) },
    ],
    [
      "that of a Machine that is another node, though its Node says it too",
      { ofNode: "aws:///i-3", machines: machines({ taken: ["Machine default/machine-4"] }) },
    ],
  ])("refuses %s", (_, facts) => {
    expect(saying(facts)).toMatchObject({ kind: "Deny", reason: "ProviderIdIsNotItsOwn" });
  });

  it("waits while nobody knows whose it is", () => {
    expect(judge({ kind: "NotRead", why: "not yet" })).toMatchObject({ kind: "Wait", reason: "ProviderIdIsNotRead" });
    expect(saying({ machines: unread })).toMatchObject({ kind: "Wait", reason: "ProviderIdIsNotRead" });
  });
});
