// What an informer holds, and how events change it: pure, no I/O. Every change says what was there before, so that a
// handler never has to look back. An object that was deleted and made again under the same name is two changes.

import type { KubeObject, WatchEvent } from "../../../api/meta/index.ts";

export interface Change<T extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** For DELETED: the last content known. */
  readonly object: T;
  /** The content before; absent for ADDED. */
  readonly previous?: T;
}

export interface ObjectStore<T extends KubeObject> {
  get(name: string, namespace?: string): T | undefined;
  list(): T[];
  apply(event: WatchEvent<T>): Change<T>[];
  /** After a new list: what is no longer in it was deleted while nobody watched. */
  replace(objects: Iterable<T>): Change<T>[];
}

export function createObjectStore<T extends KubeObject>(): ObjectStore<T> {
  const objects = new Map<string, T>();

  function put(object: T): Change<T>[] {
    const key = keyOf(object);
    const previous = objects.get(key);
    objects.set(key, object);
    return changesBetween(previous, object);
  }

  function remove(object: T): Change<T>[] {
    const key = keyOf(object);
    const previous = objects.get(key);
    objects.delete(key);
    return previous === undefined ? [] : [{ type: "DELETED", object, previous }];
  }

  return {
    get: (name, namespace) => objects.get(objectKey(name, namespace)),
    list: () => [...objects.values()],
    apply: ({ type, object }) => {
      if (type === "DELETED") return remove(object);
      return type === "ADDED" || type === "MODIFIED" ? put(object) : [];
    },
    replace: (listed) => {
      const gone = new Map(objects);
      const changes: Change<T>[] = [];
      for (const object of listed) {
        gone.delete(keyOf(object));
        changes.push(...put(object));
      }
      const deletions = [...gone.values()].flatMap(remove);
      return [...deletions, ...changes];
    },
  };
}

function changesBetween<T extends KubeObject>(previous: T | undefined, object: T): Change<T>[] {
  if (previous === undefined) return [{ type: "ADDED", object }];
  if (previous.metadata.uid !== object.metadata.uid) {
    return [
      { type: "DELETED", object: previous, previous },
      { type: "ADDED", object },
    ];
  }
  const isSame = previous.metadata.resourceVersion === object.metadata.resourceVersion;
  return isSame ? [] : [{ type: "MODIFIED", object, previous }];
}

function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.name ?? "", object.metadata.namespace);
}

/** Also the key under which controllers queue an object: `namespace/name`, or `name` alone. */
export function objectKey(name: string, namespace?: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}
