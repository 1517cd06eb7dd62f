// What an informer holds, and how events change it: pure, no I/O. Every change says what was there before, so that a
// handler never has to look back. An object that was deleted and made again under the same name is two changes. Besides
// events of the watch there are answers to our own writes, which may come before the watch tells: so an event with an
// earlier state than the one that is held changes nothing.

import type { KubeObject, WatchEvent } from "../../../api/meta/index.ts";
import { createIndexes, type IndexFunction } from "./indexes.ts";

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
  size(): number;
  byIndex(index: string, value: string): T[];
  countByIndex(index: string, value: string): number;
  /** Every value of an index, with the number of objects that have it. */
  indexValues(index: string): Iterable<readonly [value: string, count: number]>;
  apply(event: WatchEvent<T>): Change<T>[];
  /** A state that an answer of the server has shown. Unknown objects are left to the watch: it also tells their end. */
  observe(object: T): Change<T>[];
  /** After a new list: what is no longer in it was deleted without an event. */
  replace(objects: Iterable<T>): Change<T>[];
}

interface StoreOptions<T extends KubeObject> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
}

export function createObjectStore<T extends KubeObject>(options: StoreOptions<T> = {}): ObjectStore<T> {
  const objects = new Map<string, T>();
  const indexes = createIndexes<T>(options.indexes ?? {});

  function put(object: T): Change<T>[] {
    const key = keyOf(object);
    const previous = objects.get(key);
    // The watch repeats what the answer to our own write has shown.
    if (previous !== undefined && (isSame(object, previous) || isEarlier(object, previous))) return [];
    objects.set(key, object);
    indexes.update(key, previous, object);
    return changesBetween(previous, object);
  }

  function remove(object: T): Change<T>[] {
    const key = keyOf(object);
    const previous = objects.get(key);
    objects.delete(key);
    indexes.update(key, previous, undefined);
    return previous === undefined ? [] : [{ type: "DELETED", object, previous }];
  }

  return {
    get: (name, namespace) => objects.get(objectKey(name, namespace)),
    list: () => [...objects.values()],
    size: () => objects.size,
    byIndex: (index, value) => Array.from(indexes.find(index, value), (key) => objects.get(key)).filter(isPresent),
    countByIndex: indexes.count,
    indexValues: indexes.values,
    apply: ({ type, object }) => {
      if (type === "DELETED") return remove(object);
      return type === "ADDED" || type === "MODIFIED" ? put(object) : [];
    },
    observe: (object) => {
      const known = objects.get(keyOf(object));
      return known !== undefined && isEarlier(known, object) ? put(object) : [];
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

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function changesBetween<T extends KubeObject>(previous: T | undefined, object: T): Change<T>[] {
  if (previous === undefined) return [{ type: "ADDED", object }];
  if (previous.metadata.uid !== object.metadata.uid) {
    return [
      { type: "DELETED", object: previous, previous },
      { type: "ADDED", object },
    ];
  }
  return [{ type: "MODIFIED", object, previous }];
}

function isSame({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean {
  return one.uid === other.uid && one.resourceVersion !== undefined && one.resourceVersion === other.resourceVersion;
}

function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.name ?? "", object.metadata.namespace);
}

/** Also the key under which controllers queue an object: `namespace/name`, or `name` alone. */
export function objectKey(name: string, namespace?: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

// Which of two states of one object is the later one. Kubernetes promises since 1.35 that resourceVersions of one
// resource are decimal numbers to be compared; of a server that sends anything else nothing is assumed.

const DECIMAL = /^[1-9]\d{0,38}$/;

/** True only when both are states of the same object and the first is surely the earlier one. */
function isEarlier(one: KubeObject, other: KubeObject): boolean {
  if (one.metadata.uid !== other.metadata.uid) return false;
  const a = one.metadata.resourceVersion ?? "";
  const b = other.metadata.resourceVersion ?? "";
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}
