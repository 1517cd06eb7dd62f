// Deletes the contents of a namespace that is being deleted, waits for finalizers of its objects, and removes the
// finalizer `kubernetes` last. Behaviour of kubernetes/pkg/controller/namespace/deletion.

import { type KubeObject, NAMESPACES, type Resource } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { Registry } from "../../resources/registry.ts";
import { controllerUser, type InsideClient } from "../inside-client.ts";
import type { Controller } from "../loop.ts";
import { FINALIZER, type GoingNamespace, type Left, planStatus, withoutFinalizer } from "./plan.ts";

export function createNamespaces(registry: Registry): Controller {
  return {
    name: "namespaces",
    user: controllerUser("namespace-controller"),
    watches: [
      {
        resource: NAMESPACES,
        keysOf: ({ type, object }) => (type !== "DELETED" && isGoing(object) ? [object.metadata.name ?? ""] : []),
      },
      // The last object of a namespace may be deleted long after the others.
      {
        resource: undefined,
        keysOf: ({ type, object }) =>
          type === "DELETED" && object.metadata.namespace !== undefined ? [object.metadata.namespace] : [],
      },
    ],
    look: async (name, client, nowMs) => {
      const namespace = client.get<GoingNamespace>(NAMESPACES, { name });
      if (namespace === undefined || !isGoing(namespace)) return undefined;
      if (namespace.spec?.finalizers?.includes(FINALIZER) !== true) return undefined;
      const kinds = storedKinds(registry);
      for (const resource of kinds) await empty(resource, name, client);
      await conclude(namespace, leftIn(kinds, name, client), { client, nowMs });
      return undefined;
    },
  };
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** One of each group and plural: all versions of a kind share their objects, and a kind stored as another has none. */
function storedKinds(registry: Registry): readonly Resource[] {
  const kinds = new Map<string, Resource>();
  for (const { resource, verbs, face } of registry.strategies()) {
    const key = `${resource.group}/${resource.plural}`;
    const kept = face?.of ?? resource;
    const isOwn = kept.group === resource.group && resource.namespaced && verbs.includes("delete");
    if (isOwn && !kinds.has(key)) kinds.set(key, resource);
  }
  return [...kinds.values()];
}

async function empty(resource: Resource, namespace: string, client: InsideClient): Promise<void> {
  for (const { metadata } of client.list(resource, namespace)) {
    if (metadata.deletionTimestamp !== undefined) continue;
    try {
      await client.remove(resource, { namespace, name: metadata.name ?? "" }, { uid: metadata.uid });
    } catch (error) {
      // Deleted already, or replaced: the next look sees it.
      if (!isFault(error, "not-found") && !isFault(error, "conflict")) throw error;
    }
  }
}

function leftIn(kinds: readonly Resource[], namespace: string, client: InsideClient): readonly Left[] {
  return kinds
    .map((resource) => ({ resource, objects: client.list(resource, namespace) }))
    .filter(({ objects }) => objects.length > 0);
}

async function conclude(
  namespace: GoingNamespace,
  left: readonly Left[],
  { client, nowMs }: { client: InsideClient; nowMs: number },
): Promise<void> {
  if (left.length === 0) return client.update(NAMESPACES, withoutFinalizer(namespace), "finalize");
  const told = planStatus(namespace, left, nowMs);
  return told === undefined ? undefined : client.update(NAMESPACES, told, "status");
}
