// A Machine of Cluster API (v1beta1, v1beta2) or of OpenShift, read by paths: the three shapes differ in a few places,
// and we need a few fields. What is missing or of another type is left out, never guessed: the object is untrusted.

import type { NodeAddress } from "../core/index.ts";
import type { KubeObject, Resource } from "../meta/index.ts";

function machines(group: string, version: string): Resource {
  return { group, version, plural: "machines", kind: "Machine", namespaced: true };
}

export const CAPI_MACHINES_V1BETA2 = machines("cluster.x-k8s.io", "v1beta2");
export const CAPI_MACHINES_V1BETA1 = machines("cluster.x-k8s.io", "v1beta1");
export const OPENSHIFT_MACHINES = machines("machine.openshift.io", "v1beta1");

/** One of each group is read: the same objects come in every version that a group serves. Better ones first. */
export const MACHINE_RESOURCES: readonly Resource[] = [
  CAPI_MACHINES_V1BETA2,
  CAPI_MACHINES_V1BETA1,
  OPENSHIFT_MACHINES,
];

/** What approval may know of a Machine. */
export interface Machine {
  readonly group: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdMs: number;
  readonly isDeleting: boolean;
  /** Cluster API: `spec.clusterName`. OpenShift: its label. */
  readonly clusterName: string | undefined;
  readonly providerId: string | undefined;
  readonly nodeName: string | undefined;
  readonly addresses: readonly NodeAddress[];
  /** The bootstrap data was made, so the machine can have been started; undefined where the group does not say. */
  readonly isBootstrapReady: boolean | undefined;
  /** It is an instance of a MachinePool, whose name and age these are. */
  readonly isPoolMember?: boolean;
}

export function readMachine(object: KubeObject): Machine {
  const { metadata } = object;
  const [group = ""] = object.apiVersion.split("/");
  const providerId = textOf(pick(object, "spec", "providerID"));
  return {
    group,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    createdMs: Date.parse(metadata.creationTimestamp ?? ""),
    isDeleting: metadata.deletionTimestamp !== undefined,
    clusterName: textOf(pick(object, "spec", "clusterName")) ?? metadata.labels?.[OPENSHIFT_CLUSTER_LABEL],
    providerId,
    nodeName: textOf(pick(object, "status", "nodeRef", "name")),
    addresses: addressesOf(pick(object, "status", "addresses")),
    isBootstrapReady: bootstrapReadiness(object),
  };
}

const OPENSHIFT_CLUSTER_LABEL = "machine.openshift.io/cluster-api-cluster";

/**
 * v1beta2: `status.initialization.bootstrapDataSecretCreated`, which never goes back to false; v1beta1:
 * `status.bootstrapReady`. Else the condition of either version; else a secret that the user supplied. OpenShift's
 * Machine knows no such step.
 */
function bootstrapReadiness(object: KubeObject): boolean | undefined {
  if (!object.apiVersion.startsWith("cluster.x-k8s.io/")) return undefined;
  const said = [
    pick(object, "status", "initialization", "bootstrapDataSecretCreated"),
    pick(object, "status", "bootstrapReady"),
  ].find((value) => typeof value === "boolean");
  if (said === true) return true;
  if (isConditionTrue(object, "BootstrapConfigReady") || isConditionTrue(object, "BootstrapReady")) return true;
  const isSupplied = pick(object, "spec", "bootstrap", "configRef") === undefined;
  return isSupplied && textOf(pick(object, "spec", "bootstrap", "dataSecretName")) !== undefined;
}

function isConditionTrue(object: KubeObject, type: string): boolean {
  const lists = [
    pick(object, "status", "conditions"),
    pick(object, "status", "v1beta2", "conditions"),
    pick(object, "status", "deprecated", "v1beta1", "conditions"),
  ];
  return lists.some(
    (list) => Array.isArray(list) && list.some((one) => pick(one, "type") === type && pick(one, "status") === "True"),
  );
}

function addressesOf(value: unknown): readonly NodeAddress[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const [type, address] = [textOf(pick(item, "type")), textOf(pick(item, "address"))];
    return type === undefined || address === undefined ? [] : [{ type, address }];
  });
}

// Reading an untrusted object by paths: what is missing or of another type is left out, never guessed.

export function pick(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
