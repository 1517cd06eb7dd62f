import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withSan } from "../../../../test/builders/csr.ts";
import { aPolicy, factsOf, foundMachine, servingFacts } from "../../../../test/builders/csr-facts.ts";
import type { ServingInventory } from "../../../api/countersign/join-policy.ts";
import type { ApprovalFacts } from "../facts.ts";
import {
  namesAreNotTheApiServers,
  namesAreOfNoOtherNode,
  namesArePlain,
  namesBelongToTheNode,
  servingIsCovered,
} from "./serving.ts";

describe("names-are-not-the-api-servers", () => {
  const serving = servingFacts({
    apiServer: {
      kind: "Present",
      value: {
        service: new Set(["10.96.0.1", "fd00:96::1"]),
        hosts: new Set(["10.0.0.3", "fd00::3", "api.example.com"]),
      },
    },
  });
  const machine = foundMachine({
    addresses: [
      { type: "InternalIP", address: "10.0.0.3" },
      { type: "InternalIP", address: "FD00:0::3" },
      { type: "InternalIP", address: "10.96.0.1" },
      { type: "ExternalDNS", address: "API.example.com." },
    ],
  });
  const someMachine = foundMachine({ addresses: [{ type: "InternalIP", address: "10.0.0.4" }] });
  const node = (isControlPlane: boolean): ApprovalFacts["node"] => ({
    kind: "Present",
    value: { uid: "n", isControlPlane, addresses: [{ type: "InternalIP", address: "10.0.0.3" }] },
  });

  function judge(names: Parameters<typeof withSan>[0], facts: Partial<ApprovalFacts> = {}) {
    const csr = aCsr(from(aNode("worker-3")), withSan(names));
    return namesAreNotTheApiServers.judge(factsOf(csr, { policy: aPolicy(), serving, machine: someMachine, ...facts }));
  }

  const allowed: Record<string, [Parameters<typeof withSan>[0], Partial<ApprovalFacts>]> = {
    "a worker's names": [{ dnsNames: ["worker-3", "kubernetes-3"], ipAddresses: ["10.0.0.4"] }, {}],
    "the host's address, by its Machine": [{ ipAddresses: ["10.0.0.3", "fd00::3"] }, { machine }],
    "the endpoint's name, by its Machine": [{ dnsNames: ["api.example.com"] }, { machine }],
    "the host's address, by a Node with the label of a control plane": [
      { ipAddresses: ["10.0.0.3"] },
      { node: node(true) },
    ],
    "the host's address, by the list of the policy": [
      { ipAddresses: ["10.0.0.3"] },
      { policy: aPolicy({ serving: { inventory: { allow: [{ nodeNames: "worker-3", names: ["10.0.0.3"] }] } } }) },
    ],
    "anything else where nobody can say where the API server is": [
      { ipAddresses: ["10.0.0.3"] },
      { serving: servingFacts() },
    ],
  };
  it.each(Object.entries(allowed))("passes %s", (_, [names, facts]) => {
    expect(judge(names, facts)).toEqual({ kind: "Pass" });
  });

  it.each([
    { dnsNames: ["kubernetes"] },
    { dnsNames: ["kubernetes.default"] },
    { dnsNames: ["Kubernetes.Default.svc."] },
    { dnsNames: ["kubernetes.default.svc.cluster.local"] },
    { dnsNames: ["kubernetes.default.svc.corp.example"] },
    { ipAddresses: ["10.96.0.1"] },
    { dnsNames: ["worker-3"], ipAddresses: ["10.0.0.4", "fd00:96::1"] },
  ])("refuses a name of the Service, whoever says that it is the node's: %j", (names) => {
    const all = { machine, node: node(true) };
    expect(judge(names, all)).toMatchObject({ kind: "Deny", reason: "ApiServerNameRequested" });
  });

  const refused: Record<string, [Parameters<typeof withSan>[0], Partial<ApprovalFacts>]> = {
    "the host's address, for a node that only says so itself": [{ ipAddresses: ["10.0.0.3"] }, { node: node(false) }],
    "the endpoint's name": [{ dnsNames: ["worker-3", "API.example.com"] }, {}],
    "an address that the list has for another node": [
      { ipAddresses: ["10.0.0.3"] },
      { policy: aPolicy({ serving: { inventory: { allow: [{ nodeNames: "master-.*", names: ["10.0.0.3"] }] } } }) },
    ],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [names, facts]) => {
    expect(judge(names, facts)).toMatchObject({ kind: "Deny", reason: "ApiServerAddressRequested" });
  });

  it("waits while it is not read where the API server is, and while the Machine may still turn out to be its host", () => {
    const unread = servingFacts({ apiServer: { kind: "NotRead", why: "forbidden" } });
    expect(judge({ dnsNames: ["a"] }, { serving: unread })).toMatchObject({
      kind: "Wait",
      reason: "ApiServerIsNotRead",
    });
    const late = foundMachine({ addresses: [] });
    expect(judge({ ipAddresses: ["10.0.0.3"] }, { machine: late })).toMatchObject({
      kind: "Wait",
      reason: "HostIsNotKnownYet",
    });
  });
});

describe("names-are-of-no-other-node", () => {
  const owners = new Map([
    ["worker-4", "node worker-4"],
    ["10.0.0.4", "Machine default/machine-4"],
  ]);
  const serving = servingFacts({ foreign: { kind: "Present", value: owners } });

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

describe("names-are-plain", () => {
  const ALLOWED: Record<string, Parameters<typeof withSan>[0]> = {
    "a host name": { dnsNames: ["worker-3"] },
    "a name with a dot at the end and upper case (OCPBUGS-45306, -36871)": { dnsNames: ["Worker-3.example.com."] },
    "addresses of both families": { ipAddresses: ["10.0.0.3", "fd00::3"] },
  };

  const REFUSED: Record<string, [Parameters<typeof withSan>[0], string]> = {
    "a wildcard": [{ dnsNames: ["*.example.com"] }, "WildcardRequested"],
    localhost: [{ dnsNames: ["localhost"] }, "LoopbackRequested"],
    "localhost with a dot": [{ dnsNames: ["a.LOCALHOST."] }, "LoopbackRequested"],
    "the API server": [{ dnsNames: ["kubernetes.default"] }, "ServiceNameRequested"],
    "a service": [{ dnsNames: ["db.prod.svc.cluster.local"] }, "ServiceNameRequested"],
    "a name with a blank": [{ dnsNames: ["worker 3"] }, "NameIsInvalid"],
    "an address as a name": [{ dnsNames: ["10.0.0.3"] }, "NameIsInvalid"],
    "a name of 254 characters": [{ dnsNames: [`${"a".repeat(63)}.`.repeat(4)] }, "NameIsInvalid"],
    "the loopback address": [{ ipAddresses: ["127.0.0.53"] }, "LoopbackRequested"],
    "the loopback address of IPv6": [{ ipAddresses: ["::1"] }, "LoopbackRequested"],
    "no address": [{ ipAddresses: ["0.0.0.0"] }, "NameIsInvalid"],
    "a link-local address": [{ ipAddresses: ["fe80::1"] }, "NameIsInvalid"],
    "a multicast address": [{ ipAddresses: ["224.0.0.1"] }, "NameIsInvalid"],
    "an IPv4 address in an IPv6 coat": [{ ipAddresses: ["::ffff:10.0.0.3"] }, "NameIsInvalid"],
  };

  it.each(Object.entries(ALLOWED))("passes %s", (_, names) => {
    expect(namesArePlain.judge(factsOf(aCsr(withSan(names)), { policy: aPolicy() }))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [names, reason]) => {
    const facts = factsOf(aCsr(withSan(names)), { policy: aPolicy() });
    expect(namesArePlain.judge(facts)).toMatchObject({ kind: "Deny", reason });
  });

  it("bounds how many there may be", () => {
    const policy = aPolicy({ serving: { maxNames: 2 } });
    const asking = (count: number) => aCsr(withSan({ dnsNames: Array.from({ length: count }, (_, i) => `n${i}`) }));
    expect(namesArePlain.judge(factsOf(asking(2), { policy }))).toEqual({ kind: "Pass" });
    expect(namesArePlain.judge(factsOf(asking(3), { policy }))).toMatchObject({ kind: "Deny", reason: "TooManyNames" });
  });
});

describe("names-belong-to-the-node", () => {
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

describe("serving-is-covered", () => {
  it("passes under a policy", () => {
    expect(servingIsCovered.judge(factsOf(aCsr(), { policy: aPolicy() }))).toEqual({ kind: "Pass", note: "test" });
  });

  it("leaves the request to people, and says so, without a policy or when the policy says so", () => {
    expect(servingIsCovered.judge(factsOf(aCsr()))).toMatchObject({ kind: "Wait", reason: "ServingNeedsAPolicy" });
    const policy = aPolicy({ serving: { approve: false } });
    expect(servingIsCovered.judge(factsOf(aCsr(), { policy }))).toMatchObject({
      kind: "Wait",
      reason: "ServingIsLeftToPeople",
    });
  });
});
