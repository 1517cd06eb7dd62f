// The Cluster of Cluster API that this cluster is. A name that Clusters of several namespaces have is nobody's: at the start that ends
// the controller, and later whatever asks.

import { CLUSTER_RESOURCES } from "../../../api/foreign/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { KubeClient, ListOptions } from "../../../platform/kube/index.ts";
import type { Log } from "../../../platform/report/index.ts";
import { type ClusterName, requireOneNamespace } from "../../machines/index.ts";

type Lister = Pick<KubeClient, "list">;

/** Left out: whichever. */
export interface ClusterQuery {
  readonly name: string | undefined;
  readonly namespace?: string | undefined;
}

/** Undefined where Cluster API is not served or nobody may look, or where nobody said which of several Clusters is meant. */
export async function findCluster(home: Lister, cluster: ClusterQuery): Promise<KubeObject | undefined> {
  const found = await listClusters(home, cluster);
  return found.length === 1 ? found[0] : undefined;
}

/** A home that is away must not keep a replica from starting; with every round of upkeep it is looked again. */
const START_LIMIT_MS = 5_000;

/** Fault `bad-config` where the name is that of several Clusters. Where nobody may look, their Machines tell it later. */
export async function requireOneCluster(home: Lister, { cluster, log }: { cluster: ClusterName; log: Log }) {
  try {
    await listClusters(home, cluster, { timeoutMs: START_LIMIT_MS });
  } catch (error) {
    if (!isFault(error) || error.code === "bad-config") throw error;
    log.warn("whether another Cluster has this one's name is not known yet", { cluster: cluster.name, error });
  }
}

/** Of that name, in that namespace. Fault `bad-config` where they are in several. */
async function listClusters(
  home: Lister,
  { name, namespace }: ClusterQuery,
  options: ListOptions = {},
): Promise<readonly KubeObject[]> {
  const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`;
  for (const resource of CLUSTER_RESOURCES) {
    try {
      const { items } = await home.list(resource, { ...options, namespace, fieldSelector });
      if (name !== undefined) requireOneNamespace({ name, namespace }, items.map(namespaceOf));
      return items;
    } catch (error) {
      // Whoever gave no right of deploy/registration-rbac.yaml wants no registration; whoever gave half of them is told.
      if (isFault(error, "forbidden")) return [];
      if (!isFault(error, "not-found")) throw error;
    }
  }
  return [];
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}
