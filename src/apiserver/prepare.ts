// What must be stored before the first request: the namespaces and other objects of every cluster, and the bootstrap
// policy.

import type { PriorityClass, Service } from "../api/core/index.ts";
import type { KubeObject } from "../api/meta/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { reconcileBootstrapPolicy } from "./authorization/reconcile.ts";
import { randomUid } from "./random.ts";
import { namespaceStrategy } from "./resources/kinds/namespace.ts";
import { serviceStrategy } from "./resources/kinds/network/service.ts";
import { priorityClassStrategy, SYSTEM_PRIORITIES } from "./resources/kinds/workings.ts";
import { metaForCreate, orderFields } from "./resources/metadata.ts";
import type { Strategy } from "./resources/strategy.ts";
import { keyOf } from "./storage/key.ts";
import type { Storage } from "./storage/storage.ts";

const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

interface Preparation {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
}

export async function prepareStorage(preparation: Preparation): Promise<void> {
  const { storage } = preparation;
  const asNew = (object: KubeObject) => stamped(object, preparation);
  await Promise.all(SYSTEM_NAMESPACES.map((name) => ensure(storage, aNamespace(name), asNew)));
  await Promise.all(SYSTEM_OBJECTS.map((object) => ensure(storage, object, asNew)));
  await reconcileBootstrapPolicy({ storage, asNew });
}

function aNamespace(name: string): SystemObject {
  return { strategy: namespaceStrategy, object: { kind: "Namespace", apiVersion: "v1", metadata: { name } } };
}

export function stamped(object: KubeObject, { clock, random }: Preparation): KubeObject {
  const identity = { uid: randomUid({ random }), nowMs: clock.now() };
  return orderFields({ ...object, metadata: metaForCreate(object.metadata, identity) });
}

/** An object that exists is left as it is. */
async function ensure(
  storage: Storage,
  { strategy, object }: SystemObject,
  asNew: (object: KubeObject) => KubeObject,
): Promise<void> {
  const { namespace, name = "" } = object.metadata;
  const key = keyOf(strategy.resource, { namespace, name });
  if (storage.get(key) !== undefined) return;
  const facts = { user: { username: "", groups: [] }, nowMs: 0, list: () => [] };
  try {
    await storage.create(key, strategy.prepareCreate(asNew(object), facts));
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
  }
}

// What every cluster has beside namespaces and policy: the priorities of its own pods, and the Service by which pods
// find the API server.

interface SystemObject {
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

/** The first address of the range. Routing it is the job of the cluster's network, not of this server. */
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

const SYSTEM_OBJECTS: readonly SystemObject[] = [...priorities, { strategy: serviceStrategy, object: kubernetes }];
