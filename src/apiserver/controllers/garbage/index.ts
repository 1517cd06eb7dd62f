// Garbage collection: deletes objects whose owners are deleted, and finishes foreground and orphan deletions.

import { EVENTS, type KubeObject } from "../../../api/meta/index.ts";
import { isSameJson } from "../../../kernel/json/index.ts";
import type { Registry } from "../../resources/registry.ts";
import { prefixOf } from "../../storage/key.ts";
import type { Change, Storage } from "../../storage/storage.ts";
import { controllerUser } from "../inside-client.ts";
import type { Controller } from "../loop.ts";
import { act } from "./act.ts";
import { gather, itemAt } from "./gather.ts";
import { createOwnerGraph, type OwnerGraph, ownerUids } from "./graph.ts";
import { FOREGROUND, ORPHAN, planGarbage } from "./plan.ts";

export function createGarbageCollector(of: { readonly storage: Storage; readonly registry: Registry }): Controller {
  const graph = createOwnerGraph();
  const sources = { ...of, graph };
  return {
    name: "garbage",
    user: controllerUser("generic-garbage-collector"),
    watches: [{ resource: undefined, keysOf: (change) => concerned(change, graph) }],
    look: async (key, client) => {
      const item = itemAt(key, sources);
      if (item !== undefined) await act(planGarbage(gather(item, sources)), item, { client, sources });
      return undefined;
    },
  };
}

/** Events are many, expire by age and own nothing. */
const EVENT_BUCKET = prefixOf(EVENTS);

/**
 * The object itself when its owners or its deletion changed, its dependents when it is deleted, and always its owners.
 */
function concerned(change: Change, graph: OwnerGraph): readonly string[] {
  const { type, key, object, previous } = change;
  if (key.startsWith(EVENT_BUCKET)) return [];
  const isGone = type === "DELETED";
  const dependents = isGone ? graph.dependentsOf(object.metadata.uid ?? "") : [];
  graph.see({ key, object, previous, isGone });
  if (!isGone && !isNews(change)) return [];
  const owners = ownerUids(previous ?? object).flatMap((uid) => graph.keyOf(uid) ?? []);
  const itself = !isGone && (ownerUids(object).length > 0 || isHeld(object)) ? [key] : [];
  return [...itself, ...dependents, ...owners];
}

/** False for most updates, such as renewals of Leases. */
function isNews({ type, object, previous }: Change): boolean {
  if (type === "ADDED") return true;
  const { ownerReferences, deletionTimestamp, finalizers } = object.metadata;
  const before = previous?.metadata;
  return (
    deletionTimestamp !== before?.deletionTimestamp ||
    !isSameJson(ownerReferences, before?.ownerReferences) ||
    !isSameJson(finalizers, before?.finalizers)
  );
}

function isHeld({ metadata }: KubeObject): boolean {
  return (metadata.finalizers ?? []).some((one) => one === ORPHAN || one === FOREGROUND);
}
