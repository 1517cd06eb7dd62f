// Named indexes over the objects of an informer: for each value of an index function the objects that have it, kept in
// step with every change. What a feature asks a thousand times a second must not walk over a hundred thousand Machines.

import type { KubeObject } from "../../../api/meta/index.ts";
import { assert } from "../../../kernel/outcome/index.ts";

/**
 * The values under which an object shall be found: none, one or several. Pure, and cheap: it runs on every change,
 * twice.
 */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

interface Indexes<T extends KubeObject> {
  /** Without a present object one is taken out, without a previous one it is put in. */
  update(key: string, previous: T | undefined, present: T | undefined): void;
  /** Keys of the objects with this value. */
  find(index: string, value: string): Iterable<string>;
  count(index: string, value: string): number;
  values(index: string): Iterable<readonly [value: string, count: number]>;
}

/** Most values have one object; a set for each would be half of the memory of a hundred thousand Machines. */
type Keys = string | Set<string>;

export function createIndexes<T extends KubeObject>(functions: Readonly<Record<string, IndexFunction<T>>>): Indexes<T> {
  const indexes = Object.entries(functions).map(([name, valuesOf]) => ({
    name,
    valuesOf,
    keysOf: new Map<string, Keys>(),
  }));

  function named(name: string) {
    const index = indexes.find((one) => one.name === name);
    assert(index !== undefined, `there is no index ${name}`);
    return index;
  }

  return {
    update: (key, previous, present) => {
      for (const { valuesOf, keysOf } of indexes) {
        const [before, after] = [previous, present].map((object) => (object === undefined ? [] : valuesOf(object)));
        for (const value of before ?? []) takeOut(keysOf, value, key);
        for (const value of after ?? []) putIn(keysOf, value, key);
      }
    },
    find: (index, value) => {
      const keys = named(index).keysOf.get(value) ?? [];
      return typeof keys === "string" ? [keys] : keys;
    },
    count: (index, value) => countOf(named(index).keysOf.get(value)),
    values: function* (index) {
      for (const [value, keys] of named(index).keysOf) yield [value, countOf(keys)];
    },
  };
}

function countOf(keys: Keys | undefined): number {
  return typeof keys === "string" ? 1 : (keys?.size ?? 0);
}

function putIn(keysOf: Map<string, Keys>, value: string, key: string): void {
  const keys = keysOf.get(value);
  if (keys === undefined) keysOf.set(value, key);
  else if (typeof keys !== "string") keys.add(key);
  else if (keys !== key) keysOf.set(value, new Set([keys, key]));
}

function takeOut(keysOf: Map<string, Keys>, value: string, key: string): void {
  const keys = keysOf.get(value);
  if (keys === key) keysOf.delete(value);
  if (typeof keys !== "object") return;
  keys.delete(key);
  if (keys.size === 0) keysOf.delete(value);
}
