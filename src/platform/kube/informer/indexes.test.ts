import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../api/meta/index.ts";
import { createObjectStore } from "./store.ts";

function aMachine(
  name: string,
  resourceVersion: string,
  addresses: readonly string[],
  uid = `uid-${name}`,
): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Machine",
    metadata: { name, uid, resourceVersion, annotations: { addresses: addresses.join(",") } },
  };
}

function aStore() {
  return createObjectStore<KubeObject>({
    indexes: { address: ({ metadata }) => metadata.annotations?.["addresses"]?.split(",").filter(Boolean) ?? [] },
  });
}

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

describe("an index", () => {
  it("follows additions, changes and deletions", () => {
    const store = aStore();
    store.apply({ type: "ADDED", object: aMachine("a", "1", ["x", "y"]) });
    store.apply({ type: "ADDED", object: aMachine("b", "2", ["y"]) });
    expect(namesOf(store.byIndex("address", "y"))).toEqual(["a", "b"]);
    expect(["x", "y"].map((value) => store.countByIndex("address", value))).toEqual([1, 2]);
    store.apply({ type: "MODIFIED", object: aMachine("a", "3", ["z"]) });
    expect(["x", "y", "z"].map((value) => store.countByIndex("address", value))).toEqual([0, 1, 1]);
    store.apply({ type: "DELETED", object: aMachine("b", "4", ["y"]) });
    expect([...store.indexValues("address")]).toEqual([["z", 1]]);
  });

  it("follows a new list", () => {
    const store = aStore();
    store.replace([aMachine("a", "1", ["x"]), aMachine("b", "1", ["x"])]);
    store.replace([aMachine("b", "2", ["w"])]);
    expect([...store.indexValues("address")]).toEqual([["w", 1]]);
  });

  it("is a bug where it does not exist", () => {
    expect(() => aStore().byIndex("colour", "red")).toThrow(/no index colour/);
  });
});

describe("the answer to a write of our own", () => {
  it("is news, and what the watch tells later of an earlier state is none", () => {
    const store = aStore();
    store.apply({ type: "ADDED", object: aMachine("a", "9", []) });
    expect(store.observe(aMachine("a", "11", [])).map(({ type }) => type)).toEqual(["MODIFIED"]);
    expect(store.apply({ type: "MODIFIED", object: aMachine("a", "10", []) })).toEqual([]);
    expect(store.apply({ type: "MODIFIED", object: aMachine("a", "11", []) })).toEqual([]);
    expect(store.get("a")?.metadata.resourceVersion).toBe("11");
    expect(store.apply({ type: "MODIFIED", object: aMachine("a", "12", []) })).toHaveLength(1);
  });

  it("does not bring back what is deleted, nor what nobody has seen, nor an earlier life of the name", () => {
    const store = aStore();
    expect(store.observe(aMachine("a", "5", []))).toEqual([]);
    store.apply({ type: "ADDED", object: aMachine("a", "7", [], "new") });
    expect(store.observe(aMachine("a", "9", [], "old"))).toEqual([]);
    store.apply({ type: "DELETED", object: aMachine("a", "10", [], "new") });
    expect([store.observe(aMachine("a", "9", [], "new")), store.size()]).toEqual([[], 0]);
  });

  it("is not compared where versions are no numbers: then the watch is believed", () => {
    const store = aStore();
    store.apply({ type: "ADDED", object: aMachine("a", "v2", []) });
    expect(store.observe(aMachine("a", "v3", []))).toEqual([]);
    expect(store.apply({ type: "MODIFIED", object: aMachine("a", "v1", []) })).toHaveLength(1);
  });
});
