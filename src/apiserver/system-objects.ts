// What every cluster has before anybody writes anything, beside namespaces and policy: the priorities of its own pods, and
// the Service under which pods find the API server.

import type { PriorityClass, Service } from "../api/core/index.ts";
import type { KubeObject } from "../api/meta/index.ts";
import { serviceStrategy } from "./resources/kinds/network/service.ts";
import { priorityClassStrategy, SYSTEM_PRIORITIES } from "./resources/kinds/workings.ts";
import type { Strategy } from "./resources/strategy.ts";

export interface SystemObject {
  readonly strategy: Strategy;
  readonly object: KubeObject;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "system-cluster-critical":
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  "system-node-critical": "Used for system critical pods that must not be moved from their current node.",
};

const priorities = Object.entries(SYSTEM_PRIORITIES).map(([name, value]): SystemObject => {
  const object: PriorityClass & { description: string } = {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: { name },
    value,
    description: DESCRIPTIONS[name] ?? "",
  };
  return { strategy: priorityClassStrategy, object };
});

/** The first address of the range. Where the packets go then is a matter of the cluster's network, which is not ours. */
const kubernetes: Service = {
  kind: "Service",
  apiVersion: "v1",
  metadata: {
    name: "kubernetes",
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
};

export const SYSTEM_OBJECTS: readonly SystemObject[] = [
  ...priorities,
  { strategy: serviceStrategy, object: kubernetes },
];
