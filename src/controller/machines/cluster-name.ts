// Which cluster is meant, as Cluster API names it: its Machines are this cluster's, and no others. Pure.

import type { Machine } from "../../api/foreign/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

export interface ClusterName {
  readonly name: string;
  /** Left out: of whatever namespace. */
  readonly namespace?: string | undefined;
}

/** As Cluster API bounds it; it is part of the names of NodeIdentities. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** `namespace/name`, or a name. Fault `bad-config` for anything else. */
export function parseClusterName(flag: string, text: string): ClusterName {
  const [name = "", namespace, ...rest] = text.split("/").reverse();
  const isName = [name, namespace ?? name].every((word) => NAME.test(word)) && rest.length === 0;
  if (isName) return namespace === undefined ? { name } : { namespace, name };
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected namespace/name or a name`);
}

/** Without a name there is one cluster, and every Machine is its own. */
export function isOfCluster({ clusterName, namespace }: Machine, cluster: ClusterName | undefined): boolean {
  if (cluster === undefined) return true;
  return clusterName === cluster.name && (cluster.namespace === undefined || namespace === cluster.namespace);
}

/**
 * NodeIdentities, and the keys of their challenges, are named by the cluster's name alone: where Clusters of two
 * namespaces have it, it is not known whose they are, and none of them may be decided about. Fault `bad-config` that
 * names them.
 */
export function requireOneNamespace({ name, namespace }: ClusterName, namespaces: readonly string[]): void {
  const [first, ...others] = [...new Set(namespaces)].sort();
  if (namespace !== undefined || first === undefined || others.length === 0) return;
  const clusters = [first, ...others].map((one) => `${one}/${name}`).join(", ");
  throw new Fault(
    "bad-config",
    `--cluster-name ${name} is the name of ${clusters}: say which as NAMESPACE/${name}, and give the others names of their own`,
  );
}
