import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withSan } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf, foundMachine, servingFacts } from "../../../../../test/builders/csr-facts.ts";
import type { ServingInventory } from "../../../../api/countersign/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { namesBelongToTheNode } from "./names-belong-to-the-node.ts";

const NAMES = { dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3"] };

function judge(inventory: ServingInventory | undefined, facts: Partial<ApprovalFacts> = {}, names = NAMES) {
  const policy = aPolicy({ serving: inventory === undefined ? {} : { inventory } });
  return namesBelongToTheNode.judge(factsOf(aCsr(from(aNode("worker-3")), withSan(names)), { policy, ...facts }));
}

const machine = foundMachine();
const node = {
  kind: "Present",
  value: {
    uid: "n",
    isControlPlane: false,
    addresses: [
      { type: "Hostname", address: "WORKER-3" },
      { type: "InternalIP", address: "10.0.0.3" },
    ],
  },
} as const;
const resolved = (addresses: readonly string[]) =>
  servingFacts({ resolved: new Map([["worker-3", { kind: "Present", value: addresses }]]) });

describe("names-belong-to-the-node", () => {
  const allowed: Record<string, [ServingInventory | undefined, Partial<ApprovalFacts>]> = {
    "the Machine's addresses, when the policy says nothing": [undefined, { machine }],
    "the Node's addresses, in whatever case": [{ nodeAddresses: true }, { node }],
    "a network and a pattern with the node's name": [
      { ipPrefixes: ["10.0.0.0/24"], dnsPattern: "{node}(\\.example\\.com)?" },
      {},
    ],
    "DNS, names and addresses": [{ dns: true }, { serving: resolved(["10.0.0.3"]) }],
    "a list": [{ allow: [{ nodeNames: "worker-.*", names: ["worker-3", "10.0.0.3"] }] }, {}],
    "one source for the name and another for the address": [
      { machineAddresses: true, nodeAddresses: true },
      { machine, node },
    ],
  };
  it.each(Object.entries(allowed))("passes by %s", (_, [inventory, facts]) => {
    expect(judge(inventory, facts)).toMatchObject({ kind: "Pass" });
  });

  describe("by DNS, in which the whole world's names are", () => {
    const present = (value: readonly string[]) => ({ kind: "Present", value }) as const;
    const serving = servingFacts({
      resolved: new Map([
        ["worker-3", present(["10.0.0.3"])],
        ["worker-3.example.com", present(["10.0.0.3"])],
        ["api.example.com", present(["10.0.0.1"])],
        ["round.example.com", present(["10.0.0.3", "10.0.0.1"])],
        ["worker-3.evil.test", present(["10.96.0.1"])],
      ]),
    });
    const asking = (...names: readonly string[]) => {
      const dnsNames = names.filter((name) => /[a-z]/.test(name));
      return { dnsNames, ipAddresses: names.filter((name) => !dnsNames.includes(name)) };
    };

    it.each([
      ["a second name that leads to the node", { dns: true }, ["worker-3", "worker-3.example.com"]],
      ["a name of a Machine's address", { dns: true, machineAddresses: true }, ["worker-3.example.com", "10.0.0.3"]],
      ["where a name of the pattern leads", { dns: true, dnsPattern: "api\\..*" }, ["api.example.com", "10.0.0.1"]],
    ] as const)("passes %s", (_, inventory, names) => {
      expect(judge(inventory, { serving, machine }, asking(...names))).toMatchObject({ kind: "Pass" });
    });

    it.each([
      ["a name of somebody else", ["worker-3", "api.example.com"]],
      ["a name of somebody else with its address", ["api.example.com", "10.0.0.1"]],
      ["a name that leads to others too", ["worker-3", "round.example.com"]],
      ["an address that a domain of the requester's own leads to", ["worker-3.evil.test", "10.96.0.1"]],
    ] as const)("refuses %s", (_, names) => {
      expect(judge({ dns: true }, { serving }, asking(...names))).toMatchObject({
        kind: "Deny",
        reason: "NameIsNotTheNodes",
      });
    });
  });

  it("compares IPv6 addresses by what they mean, not by how they are written (PR 61)", () => {
    const written = foundMachine({ addresses: [{ type: "InternalIP", address: "FD00:0:0:0:0:0:0:3" }] });
    expect(judge(undefined, { machine: written }, { dnsNames: [], ipAddresses: ["fd00::3"] })).toMatchObject({
      kind: "Pass",
    });
  });

  const refused: Record<string, [ServingInventory | undefined, Partial<ApprovalFacts>]> = {
    "a name that the Machine does not have": [
      undefined,
      { machine: foundMachine({ addresses: [{ type: "InternalIP", address: "10.0.0.3" }] }) },
    ],
    "an address outside of the networks": [{ ipPrefixes: ["10.0.1.0/24"], dnsPattern: "{node}" }, {}],
    "a name that only begins like the node's (auth.company of node a)": [
      { ipPrefixes: ["10.0.0.0/8"], dnsPattern: "worker" },
      {},
    ],
    "a name that is in no DNS": [
      { dns: true },
      { serving: servingFacts({ resolved: new Map([["worker-3", { kind: "Absent" }]]) }) },
    ],
    "an address that DNS does not lead to": [{ dns: true }, { serving: resolved(["10.0.0.9"]) }],
    "a list for other nodes": [{ allow: [{ nodeNames: "master-.*", names: ["worker-3", "10.0.0.3"] }] }, {}],
    "anything, when the policy trusts nothing": [{}, { machine, node }],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [inventory, facts]) => {
    expect(judge(inventory, facts)).toMatchObject({ kind: "Deny", reason: "NameIsNotTheNodes" });
  });

  const waiting: Record<string, [ServingInventory | undefined, Partial<ApprovalFacts>]> = {
    "the Machine has no addresses yet (OCPBUGS-121194)": [undefined, { machine: foundMachine({ addresses: [] }) }],
    "the Machine is not linked to its node yet (issue 40)": [undefined, { machine: { kind: "Absent" } }],
    "the Machines are not read": [undefined, { machine: { kind: "NotRead", why: "no list" } }],
    "the Node has no addresses yet": [
      { nodeAddresses: true },
      { node: { kind: "Present", value: { uid: "n", isControlPlane: false, addresses: [] } } },
    ],
    "DNS does not answer: kubelet-csr-approver denies then": [
      { dns: true },
      { serving: servingFacts({ resolved: new Map([["worker-3", { kind: "NotRead", why: "timeout" }]]) }) },
    ],
  };
  it.each(Object.entries(waiting))("waits while %s", (_, [inventory, facts]) => {
    expect(judge(inventory, facts)).toMatchObject({ kind: "Wait", reason: "AddressesAreMissing" });
  });

  describe("against the certificate that the kubelet serves with now", () => {
    const policy = aPolicy({ serving: { renewal: "Allow", inventory: {} } });
    const csr = aCsr(
      from(aNode("worker-3")),
      withSan({ dnsNames: ["worker-3"], ipAddresses: ["10.0.0.3", "fd00::3"] }),
    );
    const present = (changed: object = {}) =>
      servingFacts({
        present: {
          kind: "Present",
          value: {
            commonName: "system:node:worker-3",
            dnsNames: ["worker-3"],
            ipAddresses: ["fd00::3", "10.0.0.3"],
            ...changed,
          },
        },
      });

    it("passes the same names in another order (PR 51)", () => {
      expect(namesBelongToTheNode.judge(factsOf(csr, { policy, serving: present() }))).toMatchObject({ kind: "Pass" });
    });

    it.each([{ ipAddresses: ["10.0.0.3"] }, { dnsNames: ["worker-4"] }, { commonName: "system:node:worker-4" }])(
      "refuses when it has other names: %j",
      (changed) => {
        expect(namesBelongToTheNode.judge(factsOf(csr, { policy, serving: present(changed) }))).toMatchObject({
          kind: "Deny",
        });
      },
    );

    it("falls back to the inventory when nobody answers there", () => {
      const both = aPolicy({
        serving: { renewal: "Allow", inventory: { ipPrefixes: ["10.0.0.0/8", "fd00::/8"], dnsPattern: "{node}" } },
      });
      const serving = servingFacts({ present: { kind: "NotRead", why: "refused" } });
      expect(namesBelongToTheNode.judge(factsOf(csr, { policy: both, serving }))).toMatchObject({ kind: "Pass" });
    });
  });
});
