import { describe, expect, it } from "vitest";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../api/meta/index.ts";
import { createOwnerGraph } from "./graph.ts";
import { type GarbageFacts, type GarbagePlan, type OwnerState, planGarbage } from "./plan.ts";

const anObject = (metadata: ObjectMeta = {}): KubeObject => ({ kind: "ConfigMap", apiVersion: "v1", metadata });
const reference = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  ...more,
});
const owners = (...states: readonly OwnerState[]) =>
  states.map((state, at) => ({ reference: reference(`o${at}`), state }));
const DELETED = { deletionTimestamp: "2026-01-01T00:00:00Z", uid: "me" };
const dependent = (key: string, metadata: ObjectMeta) => ({ key, object: anObject(metadata) });
const blocking = { ownerReferences: [reference("me", { blockOwnerDeletion: true })] };
const free = { ownerReferences: [reference("me")] };

const cases: Readonly<Record<string, [Partial<GarbageFacts>, GarbagePlan]>> = {
  "nobody's object stays": [{}, { kind: "nothing" }],
  "an owner lives": [{ owners: owners("alive") }, { kind: "nothing" }],
  "the only owner is gone": [{ owners: owners("gone") }, { kind: "delete", policy: "Background" }],
  "one of two owners is gone": [{ owners: owners("gone", "alive") }, { kind: "forget-owners", uids: ["o0"] }],
  "one of two owners waits": [{ owners: owners("alive", "waiting") }, { kind: "forget-owners", uids: ["o1"] }],
  "the only owner waits": [{ owners: owners("waiting") }, { kind: "delete", policy: "Background" }],
  "the only owner waits and there are dependents": [
    { owners: owners("waiting"), dependents: [dependent("d", free)] },
    { kind: "delete", policy: "Foreground" },
  ],
  "objects that own each other: the one whose dependent waits for it holds its owner up no longer": [
    {
      owners: [{ reference: reference("o0", { blockOwnerDeletion: true }), state: "waiting" }],
      dependents: [dependent("d", { ...blocking, ...DELETED, finalizers: ["foregroundDeletion"] })],
    },
    { kind: "unblock-owners" },
  ],
  "objects that own each other: it goes once it holds nobody up": [
    {
      owners: owners("waiting"),
      dependents: [dependent("d", { ...blocking, ...DELETED, finalizers: ["foregroundDeletion"] })],
    },
    { kind: "delete", policy: "Foreground" },
  ],
  "it keeps the policy that it was told": [
    { owners: owners("gone"), object: anObject({ finalizers: ["orphan"] }) },
    { kind: "delete", policy: "Orphan" },
  ],
  "deleted, and held by somebody else": [
    { object: anObject({ ...DELETED, finalizers: ["x"] }), owners: owners("gone") },
    { kind: "nothing" },
  ],
  "deleted with orphans": [{ object: anObject({ ...DELETED, finalizers: ["orphan"] }) }, { kind: "orphan" }],
  "deleted in the foreground, nothing depends on it": [
    { object: anObject({ ...DELETED, finalizers: ["foregroundDeletion"] }) },
    { kind: "delete-dependents", keys: [], isDone: true },
  ],
  "deleted in the foreground, a dependent blocks": [
    {
      object: anObject({ ...DELETED, finalizers: ["foregroundDeletion"] }),
      dependents: [dependent("a", blocking), dependent("b", { ...blocking, ...DELETED })],
    },
    { kind: "delete-dependents", keys: ["a"], isDone: false },
  ],
  "deleted in the foreground, no dependent blocks": [
    { object: anObject({ ...DELETED, finalizers: ["foregroundDeletion"] }), dependents: [dependent("a", free)] },
    { kind: "delete-dependents", keys: ["a"], isDone: true },
  ],
};

describe("the collector's plan", () => {
  it.each(Object.entries(cases))("%s", (_name, [facts, plan]) => {
    expect(planGarbage({ object: anObject(), owners: [], dependents: [], ...facts })).toEqual(plan);
  });
});

describe("the graph of owners", () => {
  const owned = (uid: string, ...by: readonly string[]) =>
    anObject({ uid, ownerReferences: by.map((one) => reference(one)) });

  it("follows references as they come, change and go", () => {
    const graph = createOwnerGraph();
    graph.see({ key: "/a", object: owned("1", "x", "y"), isGone: false });
    expect([graph.dependentsOf("x"), graph.dependentsOf("y"), graph.keyOf("1")]).toEqual([["/a"], ["/a"], "/a"]);
    graph.see({ key: "/a", object: owned("1", "y"), previous: owned("1", "x", "y"), isGone: false });
    expect([graph.dependentsOf("x"), graph.dependentsOf("y")]).toEqual([[], ["/a"]]);
    graph.see({ key: "/a", object: owned("1", "y"), previous: owned("1", "y"), isGone: true });
    expect([graph.dependentsOf("y"), graph.keyOf("1")]).toEqual([[], undefined]);
  });
});
