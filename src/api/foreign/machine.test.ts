import { describe, expect, it } from "vitest";
import type { KubeObject } from "../meta/index.ts";
import { readMachine } from "./index.ts";

function machine(apiVersion: string, rest: object): KubeObject {
  const metadata = { name: "m", namespace: "n", uid: "u", creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion, kind: "Machine", metadata, ...rest } as KubeObject;
}

const ADDRESSES = [{ type: "InternalDNS", address: "worker-3" }];

describe("readMachine", () => {
  it("reads Cluster API's v1beta2", () => {
    const object = machine("cluster.x-k8s.io/v1beta2", {
      spec: { clusterName: "c", providerID: "aws:///i-3", bootstrap: { configRef: { name: "b" } } },
      status: {
        nodeRef: { name: "worker-3" },
        addresses: ADDRESSES,
        initialization: { bootstrapDataSecretCreated: true },
      },
    });
    expect(readMachine(object)).toMatchObject({
      clusterName: "c",
      providerId: "aws:///i-3",
      nodeName: "worker-3",
      addresses: ADDRESSES,
      isBootstrapReady: true,
      createdMs: Date.parse("2026-01-01T00:00:00Z"),
    });
  });

  it("reads Cluster API's v1beta1", () => {
    const object = machine("cluster.x-k8s.io/v1beta1", {
      spec: { clusterName: "c", bootstrap: { configRef: { name: "b" } } },
      status: { nodeRef: { apiVersion: "v1", kind: "Node", name: "worker-3" }, bootstrapReady: true },
    });
    expect(readMachine(object)).toMatchObject({ nodeName: "worker-3", addresses: [], isBootstrapReady: true });
  });

  it("reads OpenShift's, which knows no bootstrap data and says its cluster in a label", () => {
    const object = machine("machine.openshift.io/v1beta1", {
      spec: { providerID: "x" },
      status: { addresses: ADDRESSES },
    });
    object.metadata.labels = { "machine.openshift.io/cluster-api-cluster": "c" };
    expect(readMachine(object)).toMatchObject({ clusterName: "c", isBootstrapReady: undefined, addresses: ADDRESSES });
  });

  it.each<[string, object, boolean]>([
    ["the condition of v1beta2", { status: { conditions: [{ type: "BootstrapConfigReady", status: "True" }] } }, true],
    [
      "the condition of v1beta1, read through v1beta2",
      { status: { deprecated: { v1beta1: { conditions: [{ type: "BootstrapReady", status: "True" }] } } } },
      true,
    ],
    [
      "a condition that does not hold",
      { spec: { bootstrap: { configRef: {} } }, status: { conditions: [{ type: "BootstrapReady", status: "False" }] } },
      false,
    ],
    ["a secret that the user supplied", { spec: { bootstrap: { dataSecretName: "s" } } }, true],
    ["nothing", {}, false],
  ])("takes the bootstrap data for made by %s", (_, rest, isReady) => {
    expect(readMachine(machine("cluster.x-k8s.io/v1beta2", rest)).isBootstrapReady).toBe(isReady);
  });

  it("leaves out what is of another type: the object is a stranger's", () => {
    const odd = machine("cluster.x-k8s.io/v1beta2", {
      spec: "x",
      status: { addresses: [1, { type: 2 }], nodeRef: ["x"] },
    });
    expect(readMachine(odd)).toMatchObject({ clusterName: undefined, nodeName: undefined, addresses: [] });
  });
});
