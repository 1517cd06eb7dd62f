// A Cluster of Cluster API and the infrastructure it names, read by paths: v1beta1 says the version of that object,
// v1beta2 only its group. The object itself is the infrastructure provider's; Cluster API's contract has its name here
// and nothing else.

import type { KubeObject, Resource } from "../meta/index.ts";
import { pick, textOf } from "./machine.ts";

function clusters(version: string): Resource {
  return { group: "cluster.x-k8s.io", version, plural: "clusters", kind: "Cluster", namespaced: true };
}

export const CAPI_CLUSTERS_V1BETA2 = clusters("v1beta2");
const CAPI_CLUSTERS_V1BETA1 = clusters("v1beta1");
/** The same objects come in every version that is served. Better ones first. */
export const CLUSTER_RESOURCES: readonly Resource[] = [CAPI_CLUSTERS_V1BETA2, CAPI_CLUSTERS_V1BETA1];

export interface InfrastructureRef {
  readonly group: string;
  /** Absent: whichever the group prefers. */
  readonly version: string | undefined;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Undefined where the Cluster names none, as one does that is not yet or no longer provisioned. */
export function readInfrastructureRef(cluster: KubeObject): InfrastructureRef | undefined {
  const ref = pick(cluster, "spec", "infrastructureRef");
  const [kind, name] = [textOf(pick(ref, "kind")), textOf(pick(ref, "name"))];
  const [group, version] = groupOf(ref);
  if (kind === undefined || name === undefined || group === undefined) return undefined;
  // It lies beside its Cluster: another namespace would be another tenant's.
  return { group, version, kind, name, namespace: cluster.metadata.namespace ?? "" };
}

/** The core group has no infrastructure: an `apiVersion` without a slash names nothing here. */
function groupOf(ref: unknown): readonly [group: string | undefined, version?: string] {
  const apiVersion = textOf(pick(ref, "apiVersion"));
  if (apiVersion === undefined) return [textOf(pick(ref, "apiGroup"))];
  const [group, version, ...rest] = apiVersion.split("/");
  return version === undefined || rest.length > 0 ? [undefined] : [group, version];
}
