// An object's key -> the facts about its owners and dependents, read from storage at this moment.

import type { KubeObject, OwnerReference, Resource } from "../../../api/meta/index.ts";
import type { Registry } from "../../resources/registry.ts";
import { bucketOf, keyOf } from "../../storage/key.ts";
import type { Storage } from "../../storage/storage.ts";
import type { OwnerGraph } from "./graph.ts";
import { type GarbageFacts, isWaiting, type OwnerState } from "./plan.ts";

export interface Sources {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly graph: OwnerGraph;
}

export interface Item {
  readonly key: string;
  readonly object: KubeObject;
  readonly resource: Resource;
}

/** Undefined when it is deleted, or of a kind that is no longer served. */
export function itemAt(key: string, { storage, registry }: Sources): Item | undefined {
  const object = storage.get(key)?.object;
  const strategy = registry.keptUnder(bucketOf(key) ?? "");
  return object === undefined || strategy === undefined ? undefined : { key, object, resource: strategy.resource };
}

export function gather(item: Item, sources: Sources): GarbageFacts {
  const { object } = item;
  const owners = (object.metadata.ownerReferences ?? []).map((reference) => ({
    reference,
    state: stateOf(reference, item, sources),
  }));
  return { object, owners, dependents: dependentsOf(object, sources) };
}

export function dependentsOf({ metadata }: KubeObject, sources: Sources): readonly Item[] {
  return sources.graph.dependentsOf(metadata.uid ?? "").flatMap((key) => itemAt(key, sources) ?? []);
}

/**
 * An owner is looked for in the namespace of its dependent: references do not cross namespaces. What has no namespace
 * cannot belong to something that has one; nothing is deleted for such a reference.
 */
function stateOf(reference: OwnerReference, { object, resource }: Item, { storage, registry }: Sources): OwnerState {
  const kind = registry.ofKind(reference.apiVersion, reference.kind);
  if (kind === undefined || (kind.resource.namespaced && !resource.namespaced)) return "alive";
  const namespace = kind.resource.namespaced ? object.metadata.namespace : "";
  const owner = storage.get(keyOf(kind.resource, { namespace, name: reference.name }))?.object;
  if (owner?.metadata.uid !== reference.uid) return "gone";
  return isWaiting(owner) ? "waiting" : "alive";
}
