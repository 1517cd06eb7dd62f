// A MachinePool of Cluster API, read by paths: instances without Machines of their own, known by their provider IDs
// alone. Each member is told as a Machine of the pool's name, so that callers that ask for a Machine need not know the
// difference.

import type { KubeObject, Resource } from "../meta/index.ts";
import { type Machine, pick, textOf } from "./machine.ts";

function pools(version: string): Resource {
  return { group: "cluster.x-k8s.io", version, plural: "machinepools", kind: "MachinePool", namespaced: true };
}

export const CAPI_MACHINE_POOLS_V1BETA2 = pools("v1beta2");
/** The same objects come in every version that is served. Better ones first. */
export const MACHINE_POOL_RESOURCES: readonly Resource[] = [CAPI_MACHINE_POOLS_V1BETA2, pools("v1beta1")];

export interface MachinePool {
  /** What every member has in common. */
  readonly machine: Machine;
  readonly providerIds: readonly string[];
  /** Members that are Nodes already. */
  readonly nodes: number;
}

export function readMachinePool(object: KubeObject): MachinePool {
  const { metadata } = object;
  const template = pick(object, "spec", "template", "spec", "bootstrap");
  const nodeRefs = pick(object, "status", "nodeRefs");
  return {
    machine: {
      group: "cluster.x-k8s.io",
      namespace: metadata.namespace ?? "",
      name: metadata.name ?? "",
      uid: metadata.uid ?? "",
      createdMs: Date.parse(metadata.creationTimestamp ?? ""),
      isDeleting: metadata.deletionTimestamp !== undefined,
      clusterName: textOf(pick(object, "spec", "clusterName")),
      providerId: undefined,
      nodeName: undefined,
      addresses: [],
      isBootstrapReady: isBootstrapReady(object) || textOf(pick(template, "dataSecretName")) !== undefined,
      isPoolMember: true,
    },
    providerIds: textsOf(pick(object, "spec", "providerIDList")),
    nodes: Array.isArray(nodeRefs) ? nodeRefs.length : 0,
  };
}

function isBootstrapReady(object: KubeObject): boolean {
  return (
    pick(object, "status", "initialization", "bootstrapDataSecretCreated") === true ||
    pick(object, "status", "bootstrapReady") === true
  );
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((item) => textOf(item) ?? []) : [];
}
