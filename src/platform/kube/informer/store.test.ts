import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject, WatchEventType } from "../../../api/meta/index.ts";
import { type Change, createObjectStore, type ObjectStore, objectKey } from "./store.ts";

interface Thing extends KubeObject {
  readonly colour?: string;
}

function thing(name: string, resourceVersion: string, more: { uid?: string; namespace?: string } = {}): Thing {
  return { apiVersion: "v1", kind: "Thing", metadata: { name, resourceVersion, uid: `uid-${name}`, ...more } };
}

const told = (changes: readonly Change<Thing>[]) =>
  changes.map(({ type, object, previous }) =>
    [type, object.metadata.name, object.metadata.resourceVersion, previous?.metadata.resourceVersion]
      .filter(Boolean)
      .join(" "),
  );

let store: ObjectStore<Thing>;
beforeEach(() => {
  store = createObjectStore<Thing>();
  store.replace([thing("a", "1"), thing("b", "2")]);
});

describe("an event", () => {
  const table: Record<string, [type: WatchEventType, object: Thing, expected: string[]]> = {
    "ADDED of a new object adds it": ["ADDED", thing("c", "3"), ["ADDED c 3"]],
    "ADDED of a known object modifies it": ["ADDED", thing("a", "3"), ["MODIFIED a 3 1"]],
    "MODIFIED of an unknown object adds it": ["MODIFIED", thing("c", "3"), ["ADDED c 3"]],
    "MODIFIED without a new version is no change": ["MODIFIED", thing("a", "1"), []],
    "DELETED removes, with the last content": ["DELETED", thing("a", "3"), ["DELETED a 3 1"]],
    "DELETED of an unknown object is no change": ["DELETED", thing("c", "3"), []],
    "BOOKMARK is no change": ["BOOKMARK", thing("", "9"), []],
    "of another object under the same name is a deletion and an addition": [
      "MODIFIED",
      thing("a", "3", { uid: "other" }),
      ["DELETED a 1 1", "ADDED a 3"],
    ],
  };
  for (const [sentence, [type, object, expected]] of Object.entries(table)) {
    it(sentence, () => expect(told(store.apply({ type, object }))).toEqual(expected));
  }
});

describe("a new list", () => {
  it("replaces all: what is missing is deleted, what is the same is no change", () => {
    const changes = store.replace([thing("b", "2"), thing("c", "4"), thing("d", "5")]);
    expect(told(changes)).toEqual(["DELETED a 1 1", "ADDED c 4", "ADDED d 5"]);
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(["b", "c", "d"]);
  });

  it("that is empty deletes all", () => {
    expect(told(store.replace([]))).toEqual(["DELETED a 1 1", "DELETED b 2 2"]);
    expect(store.list()).toEqual([]);
  });
});

describe("objects", () => {
  it("of one name in two namespaces are two", () => {
    store.replace([thing("a", "1", { namespace: "x" }), thing("a", "2", { namespace: "y" })]);
    expect(store.get("a", "y")?.metadata.resourceVersion).toBe("2");
    expect(store.get("a")).toBeUndefined();
  });

  it("have the key that controllers queue them under", () => {
    expect([objectKey("n"), objectKey("n", ""), objectKey("n", "ns")]).toEqual(["n", "n", "ns/n"]);
  });
});
