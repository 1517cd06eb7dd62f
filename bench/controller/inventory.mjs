// What a large cluster has: the definition of Machines, and thousands of Machines and Nodes, which the controller keeps
// in its cache while it works. And what lets bootstrap tokens be approved, as kubeadm leaves it.
import { inFlight } from "../apiserver/client.mjs";

/** @typedef {import("./controllers.mjs").Plane} Plane */

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MACHINES = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines";

/** @param {Plane} plane */
export async function installInventory(plane) {
  const client = plane.connect();
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.ask(
    "POST",
    DEFINITIONS,
    JSON.stringify({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "machines.cluster.x-k8s.io",
        annotations: { "api-approved.kubernetes.io": "unapproved, a benchmark" },
      },
      spec: {
        group: "cluster.x-k8s.io",
        scope: "Namespaced",
        names: { kind: "Machine", listKind: "MachineList", plural: "machines", singular: "machine" },
        versions: [{ name: "v1beta2", served: true, storage: true, schema }],
      },
    }),
  );
  // Where the controller keeps the heads of its audit trail.
  const metadata = { name: "countersign-system" };
  await client.ask("POST", "/api/v1/namespaces", JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata }));
  await client.close();
}

/** @param {number} i */
export function machine(i) {
  const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: {
      name: `machine-${i}`,
      namespace: "default",
      labels: { "cluster.x-k8s.io/cluster-name": "bench", "cluster.x-k8s.io/deployment-name": "workers" },
      annotations: {
        "cluster.x-k8s.io/cloned-from-name": "workers",
        "cluster.x-k8s.io/cloned-from-groupkind": "Template",
      },
    },
    spec: {
      clusterName: "bench",
      providerID: `bench:///zone-1/i-${String(i).padStart(17, "0")}`,
      bootstrap: { dataSecretName: `machine-${i}` },
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "BenchMachine", name: `machine-${i}` },
      version: "v1.36.3",
    },
    status: {
      nodeRef: { name: `node-${i}` },
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      addresses: [
        { type: "InternalIP", address },
        { type: "InternalDNS", address: `node-${i}.bench.internal` },
        { type: "Hostname", address: `node-${i}` },
      ],
      conditions: ["Available", "Ready", "UpToDate", "BootstrapConfigReady", "InfrastructureReady", "NodeReady"].map(
        (type) => ({ type, status: "True", reason: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }),
      ),
    },
  };
}

/** @param {number} i */
function node(i) {
  const { spec, status } = machine(i);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${i}`, labels: { "kubernetes.io/hostname": `node-${i}` } },
    spec: { providerID: spec.providerID },
    status: { addresses: status.addresses.slice(0, 1) },
  };
}

/** @param {Plane} plane @param {number} count */
export async function fillInventory(plane, count) {
  const client = plane.connect();
  await inFlight(count, async (i) => {
    await client.ask("POST", MACHINES, JSON.stringify(machine(i)));
    await client.ask("POST", "/api/v1/nodes", JSON.stringify(node(i)));
  });
  await client.close();
}
