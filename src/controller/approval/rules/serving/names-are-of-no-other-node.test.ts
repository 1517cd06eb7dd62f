import { describe, expect, it } from "vitest";
import { aCsr, withSan } from "../../../../../test/builders/csr.ts";
import { factsOf, servingFacts } from "../../../../../test/builders/csr-facts.ts";
import { namesAreOfNoOtherNode } from "./names-are-of-no-other-node.ts";

const owners = new Map([
  ["worker-4", "node worker-4"],
  ["10.0.0.4", "Machine default/machine-4"],
]);
const serving = servingFacts({ foreign: { kind: "Present", value: owners } });

describe("names-are-of-no-other-node", () => {
  it("passes names that nobody else has", () => {
    const csr = aCsr(withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3"] }));
    expect(namesAreOfNoOtherNode.judge(factsOf(csr, { serving }))).toEqual({ kind: "Pass" });
  });

  it.each([{ dnsNames: ["worker-3", "WORKER-4."] }, { ipAddresses: ["10.0.0.4"] }])(
    "refuses another node's: %j",
    (names) => {
      const finding = namesAreOfNoOtherNode.judge(factsOf(aCsr(withSan(names)), { serving }));
      expect(finding).toMatchObject({ kind: "Deny", reason: "NameIsAnotherNodes" });
    },
  );

  it("waits, and names both, where only a neighbour's status has the name", () => {
    const disputed = servingFacts({ disputed: new Map([["10.0.0.5", "worker-5"]]) });
    const csr = aCsr(withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.5"] }));
    const finding = namesAreOfNoOtherNode.judge(factsOf(csr, { serving: disputed }));
    expect(finding).toMatchObject({ kind: "Wait", reason: "NameIsDisputed" });
    expect(JSON.stringify(finding)).toMatch(/node worker-3 asks for .*10\.0\.0\.5.* and node worker-5 says/);
  });

  it("waits while the nodes are not read", () => {
    const unread = servingFacts({ foreign: { kind: "NotRead", why: "no list" } });
    const finding = namesAreOfNoOtherNode.judge(factsOf(aCsr(withSan({ dnsNames: ["a"] })), { serving: unread }));
    expect(finding).toMatchObject({ kind: "Wait", reason: "NodesAreNotRead" });
  });
});
