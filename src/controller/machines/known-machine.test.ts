import { describe, expect, it } from "vitest";
import { aMachine } from "../../../test/builders/csr-facts.ts";
import type { Machine } from "../../api/foreign/index.ts";
import type { ClusterName } from "./cluster-name.ts";
import { indexesOfMachines } from "./known-machine.ts";

function wordsOf(machine: Machine, cluster?: ClusterName): readonly string[] {
  const known = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata: {}, machine };
  return Object.values(indexesOfMachines(cluster)).flatMap((index) => index(known));
}

describe("the words under which a Machine is found", () => {
  it.each<[string, ClusterName | undefined]>([
    ["nobody said which cluster this is", undefined],
    ["it is of the cluster", { name: "one" }],
    ["it is of the cluster, and in its namespace", { name: "one", namespace: "default" }],
  ])("are its names and addresses where %s", (_, cluster) => {
    expect(wordsOf(aMachine(), cluster)).toEqual(
      expect.arrayContaining(["InternalDNS worker-3", "10.0.0.3", "default/one", "machine-3"]),
    );
  });

  it.each<[string, Partial<Machine>]>([
    ["of another cluster", { clusterName: "two" }],
    ["of no cluster", { clusterName: undefined }],
    ["of a cluster of the same name in another namespace", { namespace: "elsewhere" }],
  ])("are none at all for a Machine %s", (_, changed) => {
    expect(wordsOf(aMachine(changed), { name: "one", namespace: "default" })).toEqual([]);
  });
});
