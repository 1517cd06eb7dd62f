import { describe, expect, it } from "vitest";
import { aMachine } from "../../../test/builders/csr-facts.ts";
import type { Machine } from "../../api/foreign/index.ts";
import { createObjectStore } from "../../platform/kube/informer/store.ts";
import type { MachineQuery } from "../judging/look.ts";
import { indexesOfMachines, type KnownMachine } from "./known-machine.ts";
import { machinesByProviderId, machinesOf } from "./match.ts";

const query = (changed: Partial<MachineQuery> = {}): MachineQuery => ({
  nodeName: "worker-3",
  providerId: undefined,
  clusterName: undefined,
  namespace: undefined,
  nameFrom: ["InternalDNS", "Hostname", "ExternalDNS", "ProviderID"],
  ...changed,
});
const find = (machines: readonly Machine[], changed: Partial<MachineQuery> = {}) =>
  machinesOf(machines).find(query(changed));
const one = (name: string) => ({ kind: "Present", value: { kind: "One", machine: { name } } });

describe("the Machine of a node", () => {
  const found: Record<string, [Machine[], Partial<MachineQuery>, string]> = {
    "by its InternalDNS, whatever case and dot (OCPBUGS-36871, -45306)": [
      [aMachine({ addresses: [{ type: "InternalDNS", address: "Worker-3." }] })],
      {},
      "machine-3",
    ],
    "by its Hostname, which machine-approver never looks at": [
      [aMachine({ addresses: [{ type: "Hostname", address: "worker-3" }] })],
      {},
      "machine-3",
    ],
    "by the node that it is": [[aMachine({ addresses: [], nodeName: "worker-3" })], {}, "machine-3"],
    "by the provider ID in the request": [
      [aMachine({ addresses: [] })],
      { providerId: "aws:///eu-1a/i-3" },
      "machine-3",
    ],
    "by its own name, where the policy says so": [
      [aMachine({ name: "worker-3", addresses: [] })],
      { nameFrom: ["MachineName"] },
      "worker-3",
    ],
    "the new one of a name, while the old one is being deleted": [
      [aMachine({ uid: "old", name: "old", isDeleting: true }), aMachine({ uid: "new", name: "new" })],
      {},
      "new",
    ],
    "that of its own cluster, when another cluster has the same name": [
      [aMachine({ uid: "a", name: "a", clusterName: "other" }), aMachine({ uid: "b", name: "b" })],
      { clusterName: "one" },
      "b",
    ],
  };
  it.each(Object.entries(found))("is found %s", (_, [machines, changed, name]) => {
    expect(find(machines, changed)).toMatchObject(one(name));
  });

  it.each<[string, Machine[], Partial<MachineQuery>]>([
    ["it has another name", [aMachine({ addresses: [{ type: "InternalDNS", address: "worker-33" }] })], {}],
    [
      "only an address of it has the name",
      [aMachine({ addresses: [{ type: "InternalIP", address: "worker-3" }] })],
      {},
    ],
    ["it is of another cluster", [aMachine({ clusterName: "other" })], { clusterName: "one" }],
    ["it is in another namespace", [aMachine({ namespace: "other" })], { namespace: "default" }],
  ])("is not found when %s", (_, machines, changed) => {
    expect(find(machines, changed)).toEqual({ kind: "Absent" });
  });

  it("is none when two have the name: the first of a list is nobody's choice", () => {
    const machines = [aMachine(), aMachine({ uid: "4", name: "machine-4" })];
    expect(find(machines)).toMatchObject({
      value: { kind: "Several", names: ["default/machine-3", "default/machine-4"] },
    });
  });

  it.each<[string, Machine, Partial<MachineQuery>]>([
    ["there are several clusters", aMachine({ uid: "4", clusterName: "two" }), {}],
    ["the namespace that was said has several", aMachine({ uid: "4", clusterName: "two" }), { namespace: "default" }],
    ["two namespaces have a cluster of the name", aMachine({ uid: "4", namespace: "other" }), { clusterName: "one" }],
  ])("is none when %s and nobody said which", (_, other, changed) => {
    const named = `${other.namespace}/${other.clusterName}`;
    expect(find([aMachine({ nodeName: "another" }), other], changed)).toEqual({
      kind: "Present",
      value: { kind: "ClusterIsUnsaid", clusters: ["default/one", named] },
    });
  });

  it("is of the one cluster that was said by name and namespace", () => {
    const others = [aMachine({ uid: "4", clusterName: "two" }), aMachine({ uid: "5", namespace: "other" })];
    expect(find([aMachine(), ...others], { clusterName: "one", namespace: "default" })).toMatchObject(one("machine-3"));
  });

  it("is another when the request says another provider ID", () => {
    expect(find([aMachine()], { providerId: "aws:///stolen" })).toMatchObject({ value: { kind: "OtherProviderId" } });
  });
});

describe("names that other Machines have", () => {
  const other = aMachine({ uid: "4", name: "machine-4", addresses: [{ type: "InternalIP", address: "10.0.0.4" }] });
  it("are told with whose they are, and the node's own are not", () => {
    const owners = machinesOf([aMachine(), other]).ownersOf(["10.0.0.3", "10.0.0.4", "worker-3"], query());
    expect([...owners]).toEqual([["10.0.0.4", "Machine default/machine-4"]]);
  });
});

it("of a hundred thousand Machines the one with a provider ID is all that is taken from the copy", () => {
  const store = createObjectStore<KnownMachine>({ indexes: indexesOfMachines() });
  const known = (at: number): KnownMachine => {
    const metadata = { name: `machine-${at}`, namespace: "default", uid: `${at}` };
    const machine = aMachine({ ...metadata, providerId: `test:///${at}`, addresses: [] });
    return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata, machine };
  };
  store.replace(Array.from({ length: 100_000 }, (_, at) => known(at)));
  let taken = 0;
  const counting: Pick<typeof store, "byIndex" | "indexValues"> = {
    byIndex: (index, value) => {
      const found = store.byIndex(index, value);
      taken += found.length;
      return found;
    },
    indexValues: function* (index) {
      for (const value of store.indexValues(index)) {
        taken++;
        yield value;
      }
    },
  };
  const scope = { clusterName: "one", namespace: undefined };
  expect(machinesByProviderId([counting], "test:///77777", scope)).toMatchObject({
    value: [{ name: "machine-77777" }],
  });
  expect(machinesByProviderId([counting], "test:///nobody", scope)).toEqual({ kind: "Present", value: [] });
  // The Machine, and twice the one word for where they all are.
  expect(taken).toBe(3);
});
