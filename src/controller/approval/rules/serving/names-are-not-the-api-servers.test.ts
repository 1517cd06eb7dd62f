import { describe, expect, it } from "vitest";
import { aCsr, aNode, from, withSan } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf, foundMachine, servingFacts } from "../../../../../test/builders/csr-facts.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { namesAreNotTheApiServers } from "./names-are-not-the-api-servers.ts";

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

describe("names-are-not-the-api-servers", () => {
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
