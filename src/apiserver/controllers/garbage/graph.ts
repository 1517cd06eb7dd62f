// Owners and dependents: for every uid its key in storage and the keys of the objects that name it as an owner. Kept up
// to date by changes, because a scan for every deletion would grow with the cluster. Pure.

import type { KubeObject } from "../../../api/meta/index.ts";

/** What the graph needs of a change in storage. */
interface Seen {
  readonly key: string;
  readonly object: KubeObject;
  readonly previous?: KubeObject | undefined;
  readonly isGone: boolean;
}

export interface OwnerGraph {
  see(seen: Seen): void;
  /** The keys of the objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly string[];
  keyOf(uid: string): string | undefined;
}

export function createOwnerGraph(): OwnerGraph {
  const keys = new Map<string, string>();
  const dependents = new Map<string, Set<string>>();

  function unlink(key: string, object: KubeObject | undefined): void {
    for (const owner of ownerUids(object)) {
      const set = dependents.get(owner);
      set?.delete(key);
      if (set?.size === 0) dependents.delete(owner);
    }
  }

  function link(key: string, object: KubeObject): void {
    for (const owner of ownerUids(object)) {
      const set = dependents.get(owner) ?? new Set();
      dependents.set(owner, set.add(key));
    }
  }

  return {
    see: ({ key, object, previous, isGone }) => {
      const uid = object.metadata.uid ?? "";
      unlink(key, previous ?? object);
      if (isGone) {
        if (keys.get(uid) === key) keys.delete(uid);
        return;
      }
      keys.set(uid, key);
      link(key, object);
    },
    dependentsOf: (uid) => [...(dependents.get(uid) ?? [])],
    keyOf: (uid) => keys.get(uid),
  };
}

export function ownerUids(object: KubeObject | undefined): readonly string[] {
  return (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
