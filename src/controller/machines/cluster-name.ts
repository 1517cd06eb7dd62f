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
