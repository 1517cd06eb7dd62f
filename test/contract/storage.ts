// What every storage must do, whatever it is kept on. Run for memory and for lmdb by storage.test.ts.

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/api/meta/index.ts";
import type { HistoryLimits } from "../../src/apiserver/storage/history.ts";
import type { Change, Storage } from "../../src/apiserver/storage/storage.ts";

export type OpenStorage = (historyLimits?: HistoryLimits) => Promise<Storage>;

const PREFIX = "//configmaps/";

function key(name: string, namespace = "default"): string {
  return `${PREFIX}${namespace}/${name}`;
}

function configMap(name: string, value = "1"): KubeObject {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data: { value } };
  return object;
}

const fault = (code: string) => expect.objectContaining({ name: "Fault", code });

export function describeStorage(name: string, openStorage: OpenStorage): void {
  const opened: Storage[] = [];
  const open: OpenStorage = async (historyLimits) => {
    const storage = await openStorage(historyLimits);
    opened.push(storage);
    return storage;
  };
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });

  describe(`${name}: writes`, () => describeWrites(open));
  describe(`${name}: lists`, () => describeLists(open));
  describe(`${name}: watches`, () => describeWatches(open));
  describe(`${name}: limits and closing`, () => describeLimits(open));
  describe(`${name}: against a model`, () => describeModel(open));
}

function describeWrites(open: OpenStorage): void {
  it("begins at a revision that is not zero, because zero means any", async () => {
    expect((await open()).revision()).toBeGreaterThan(0);
  });

  it("gives a created object the next revision, as resourceVersion too", async () => {
    const storage = await open();
    const before = storage.revision();
    const stored = await storage.create(key("a"), configMap("a"));
    expect(stored.revision).toBe(before + 1);
    expect(stored.object.metadata.resourceVersion).toBe(String(before + 1));
    expect(storage.get(key("a"))).toEqual(stored);
    expect(storage.revision()).toBe(before + 1);
  });

  it("counts one revision across all keys", async () => {
    const storage = await open();
    const first = await storage.create(key("a"), configMap("a"));
    const other = await storage.create("//nodes//n", configMap("n"));
    const again = await storage.update(key("a"), configMap("a", "2"), first.revision);
    expect([other.revision, again.revision]).toEqual([first.revision + 1, first.revision + 2]);
  });

  it("leaves the object of the caller as it was", async () => {
    const storage = await open();
    const object = configMap("a");
    await storage.create(key("a"), object);
    expect(object).toEqual(configMap("a"));
  });

  it("refuses to create what exists", async () => {
    const storage = await open();
    await storage.create(key("a"), configMap("a"));
    await expect(storage.create(key("a"), configMap("a"))).rejects.toEqual(fault("already-exists"));
    expect(storage.revision()).toBe(storage.get(key("a"))?.revision);
  });

  it("updates only the revision that was expected", async () => {
    const storage = await open();
    const first = await storage.create(key("a"), configMap("a", "1"));
    const second = await storage.update(key("a"), configMap("a", "2"), first.revision);
    await expect(storage.update(key("a"), configMap("a", "3"), first.revision)).rejects.toEqual(fault("conflict"));
    expect(storage.get(key("a"))).toEqual(second);
  });

  it("refuses to update or delete what is not there", async () => {
    const storage = await open();
    await expect(storage.update(key("a"), configMap("a"), 1)).rejects.toEqual(fault("not-found"));
    await expect(storage.delete(key("a"), 1)).rejects.toEqual(fault("not-found"));
  });

  it("deletes only the revision that was expected, and answers with the last content at the revision of the deletion", async () => {
    const storage = await open();
    const first = await storage.create(key("a"), configMap("a", "last"));
    await expect(storage.delete(key("a"), first.revision - 1)).rejects.toEqual(fault("conflict"));
    const deleted = await storage.delete(key("a"), first.revision);
    expect(deleted.revision).toBe(first.revision + 1);
    expect(deleted.object).toMatchObject({
      data: { value: "last" },
      metadata: { resourceVersion: String(first.revision + 1) },
    });
    expect(storage.get(key("a"))).toBeUndefined();
    const again = await storage.create(key("a"), configMap("a", "new"));
    expect(again.revision).toBe(deleted.revision + 1);
  });

  it("lets exactly one of many updates on one revision win", async () => {
    const storage = await open();
    const { revision } = await storage.create(key("a"), configMap("a", "0"));
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => storage.update(key("a"), configMap("a", `${n + 1}`), revision)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toEqual(fault("conflict"));
    }
    expect(storage.revision()).toBe(revision + 1);
  });

  it("lets exactly one of many creations of one key win", async () => {
    const storage = await open();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => storage.create(key("a"), configMap("a", `${n}`))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
}

function describeLists(open: OpenStorage): void {
  it("answers an empty list with the current revision", async () => {
    const storage = await open();
    expect(storage.list({ prefix: PREFIX })).toEqual({ items: [], revision: storage.revision(), remaining: 0 });
  });

  it("lists in the order of keys, and nothing of resources and namespaces whose names begin alike", async () => {
    const storage = await open();
    for (const name of ["c", "a", "b"]) await storage.create(key(name), configMap(name));
    await storage.create(key("x", "default2"), configMap("x"));
    await storage.create("//configmaps2/default/y", configMap("y"));
    const names = (prefix: string) => storage.list({ prefix }).items.map((item) => item.key);
    expect(names(`${PREFIX}default/`)).toEqual([key("a"), key("b"), key("c")]);
    expect(names(PREFIX)).toEqual([key("a"), key("b"), key("c"), key("x", "default2")]);
    expect(names("/")).toHaveLength(5);
    expect(names("//secrets/")).toEqual([]);
  });

  it("gives pages with the key to go on after and the number that remains", async () => {
    const storage = await open();
    for (const name of ["a", "b", "c", "d", "e"]) await storage.create(key(name), configMap(name));
    const first = storage.list({ prefix: PREFIX, limit: 2 });
    expect(first).toMatchObject({ next: key("b"), remaining: 3 });
    const second = storage.list({ prefix: PREFIX, limit: 2, after: first.next });
    expect(second.items.map((item) => item.key)).toEqual([key("c"), key("d")]);
    const last = storage.list({ prefix: PREFIX, limit: 2, after: second.next });
    expect(last).toMatchObject({ remaining: 0, items: [{ key: key("e") }] });
    expect(last.next).toBeUndefined();
  });

  it("reads later pages as the list was at the revision of the first", async () => {
    const storage = await open();
    const stored = [];
    for (const name of ["a", "b", "d", "e"]) stored.push(await storage.create(key(name), configMap(name, "old")));
    const first = storage.list({ prefix: PREFIX, limit: 2 });
    await storage.create(key("c"), configMap("c", "new"));
    await storage.update(key("d"), configMap("d", "new"), stored[2]!.revision);
    await storage.delete(key("e"), stored[3]!.revision);
    const second = storage.list({ prefix: PREFIX, limit: 2, after: first.next, atRevision: first.revision });
    expect(second).toEqual({ items: stored.slice(2), revision: first.revision, remaining: 0 });
  });

  it("says that a revision is yet to come, or was compacted away", async () => {
    const storage = await open({ changes: 2, characters: 1_000_000 });
    const start = storage.revision();
    for (const name of ["a", "b", "c"]) await storage.create(key(name), configMap(name));
    expect(() => storage.list({ prefix: PREFIX, atRevision: start + 4 })).toThrow(fault("timeout"));
    expect(() => storage.list({ prefix: PREFIX, atRevision: start })).toThrow(fault("expired"));
    expect(storage.list({ prefix: PREFIX, atRevision: start + 1 }).items).toHaveLength(1);
  });
}

function describeWatches(open: OpenStorage): void {
  it("shows history, then what happens, each with the content before", async () => {
    const storage = await open();
    const start = storage.revision();
    const first = await storage.create(key("a"), configMap("a", "1"));
    const seen: Change[] = [];
    storage.watch(PREFIX, start, (change) => seen.push(change));
    const second = await storage.update(key("a"), configMap("a", "2"), first.revision);
    const third = await storage.delete(key("a"), second.revision);
    const shown = seen.map(({ type, revision, key, object, previous }) => ({ type, revision, key, object, previous }));
    expect(shown).toEqual([
      { type: "ADDED", revision: start + 1, key: key("a"), object: first.object },
      { type: "MODIFIED", revision: start + 2, key: key("a"), object: second.object, previous: first.object },
      { type: "DELETED", revision: start + 3, key: key("a"), object: third.object, previous: second.object },
    ]);
    expect(seen.map(({ text = "" }) => JSON.parse(text))).toEqual(seen.map(({ object }) => object));
  });

  it("shows nothing from outside the prefix, nothing up to the revision given, nothing after unsubscribing", async () => {
    const storage = await open();
    const { revision } = await storage.create(key("a"), configMap("a"));
    const seen: string[] = [];
    const stop = storage.watch(PREFIX, revision, (change) => seen.push(change.key));
    await storage.create("//secrets/default/s", configMap("s"));
    await storage.create(key("b"), configMap("b"));
    stop();
    await storage.create(key("c"), configMap("c"));
    expect(seen).toEqual([key("b")]);
  });

  it("waits for a revision that is yet to come", async () => {
    const storage = await open();
    const seen: string[] = [];
    storage.watch(PREFIX, storage.revision() + 1, (change) => seen.push(change.key));
    await storage.create(key("a"), configMap("a"));
    await storage.create(key("b"), configMap("b"));
    expect(seen).toEqual([key("b")]);
  });

  it("says `expired` for a revision whose changes are gone, and only then", async () => {
    const storage = await open({ changes: 3, characters: 1_000_000 });
    const start = storage.revision();
    for (const name of ["a", "b", "c", "d", "e"]) await storage.create(key(name), configMap(name));
    expect(storage.oldestRevision()).toBe(start + 2);
    expect(() => storage.watch(PREFIX, start + 1, () => undefined)).toThrow(
      expect.objectContaining({ code: "expired", message: `too old resource version: ${start + 1} (${start + 2})` }),
    );
    const seen: string[] = [];
    storage.watch(PREFIX, start + 2, (change) => seen.push(change.key));
    expect(seen).toEqual([key("c"), key("d"), key("e")]);
  });

  it("forgets its past up to a revision when it is told to, and nothing else", async () => {
    const storage = await open();
    const start = storage.revision();
    for (const name of ["a", "b", "c"]) await storage.create(key(name), configMap(name));
    storage.compact(start + 2);
    storage.compact(start + 1);
    expect(storage.oldestRevision()).toBe(start + 2);
    expect(() => storage.list({ prefix: PREFIX, atRevision: start + 1 })).toThrow(
      expect.objectContaining({ code: "expired" }),
    );
    expect(storage.list({ prefix: PREFIX, atRevision: start + 2 }).items).toHaveLength(2);
    storage.compact(start + 100);
    expect(storage.oldestRevision()).toBe(start + 3);
    expect(storage.list({ prefix: PREFIX }).items).toHaveLength(3);
  });

  it("joins history and live changes without gap or repetition, even from inside a delivery", async () => {
    const storage = await open();
    const start = storage.revision();
    const nested: number[] = [];
    let isNested = false;
    storage.watch(PREFIX, start, () => {
      if (isNested) return;
      isNested = true;
      storage.watch(PREFIX, start, (change) => nested.push(change.revision));
    });
    await Promise.all(["a", "b", "c", "d"].map((name) => storage.create(key(name), configMap(name))));
    await storage.create(key("e"), configMap("e"));
    expect(nested).toEqual([1, 2, 3, 4, 5].map((n) => start + n));
  });

  it("shows a change only when readers see it too, and the writer hears of it last", async () => {
    const storage = await open();
    const order: string[] = [];
    storage.watch(PREFIX, storage.revision(), ({ revision, key: changed }) => {
      order.push(`watched ${storage.get(changed)?.revision === revision && storage.revision() >= revision}`);
    });
    await storage.create(key("a"), configMap("a")).then(() => order.push("acknowledged"));
    expect(order).toEqual(["watched true", "acknowledged"]);
  });
}

function describeLimits(open: OpenStorage): void {
  it("drops old history by size as well as by number", async () => {
    const storage = await open({ changes: 1_000, characters: 10_000 });
    const start = storage.revision();
    for (const name of ["a", "b", "c"]) await storage.create(key(name), configMap(name, "x".repeat(4_000)));
    expect(storage.oldestRevision()).toBe(start + 1);
  });

  it.each([
    ["a key without a leading slash", "configmaps/a", "malformed"],
    ["a key with a control character", key("a\u0000b"), "malformed"],
    ["a key with half a character", key("a\ud800"), "malformed"],
    ["a key that is too long", key("a".repeat(1_100)), "limit-exceeded"],
  ])("refuses %s", async (_, badKey, code) => {
    const storage = await open();
    await expect(storage.create(badKey, configMap("a"))).rejects.toEqual(fault(code));
  });

  it("refuses objects that are too large or not JSON, without spending a revision", async () => {
    const storage = await open();
    const before = storage.revision();
    const cyclic = { ...configMap("a"), self: {} };
    cyclic.self = cyclic;
    await expect(storage.create(key("a"), cyclic)).rejects.toEqual(fault("malformed"));
    await expect(storage.create(key("a"), configMap("a", "x".repeat(2_000_000)))).rejects.toEqual(
      fault("limit-exceeded"),
    );
    expect(storage.revision()).toBe(before);
  });

  it("settles accepted writes when it closes, and takes no more", async () => {
    const storage = await open();
    const pending = storage.create(key("a"), configMap("a"));
    const closing = storage.close();
    await expect(storage.create(key("b"), configMap("b"))).rejects.toEqual(fault("unavailable"));
    await closing;
    await expect(pending).resolves.toMatchObject({ key: key("a") });
  });

  it("may be closed twice", async () => {
    const storage = await open();
    await storage.close();
    await storage.close();
  });
}

/** Any sequence of writes: every past state can be listed in pages, every past revision watched from. */
function describeModel(open: OpenStorage): void {
  const names = fc.constantFrom("//nodes//a", "//nodes//b", key("a"), key("b"), key("a", "z"), "/x.io/things//t");
  const steps = fc.array(fc.record({ key: names, remove: fc.boolean() }), { minLength: 1, maxLength: 25 });

  it("keeps every past state readable and every past change watchable", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (writes, limit) => {
        const storage = await open();
        const states = new Map([[storage.revision(), new Map<string, string>()]]);
        const changes: string[] = [];
        for (const write of writes) {
          const state = new Map(states.get(storage.revision()));
          const { revision, type } = await apply(storage, write);
          if (type === "DELETED") state.delete(write.key);
          else state.set(write.key, String(revision));
          states.set(revision, state);
          changes.push(`${revision} ${type} ${write.key}`);
        }
        for (const [revision, state] of states) {
          expect(listAll(storage, revision, limit)).toEqual([...state].sort());
          const seen: string[] = [];
          storage.watch("", revision, (change) => seen.push(`${change.revision} ${change.type} ${change.key}`))();
          expect(seen).toEqual(changes.slice(changes.length - (storage.revision() - revision)));
        }
      }),
      { numRuns: 25 },
    );
  });
}

async function apply(storage: Storage, write: { key: string; remove: boolean }) {
  const current = storage.get(write.key);
  if (current === undefined) {
    return { ...(await storage.create(write.key, configMap("m"))), type: "ADDED" };
  }
  if (write.remove) return { ...(await storage.delete(write.key, current.revision)), type: "DELETED" };
  return { ...(await storage.update(write.key, configMap("m"), current.revision)), type: "MODIFIED" };
}

function listAll(storage: Storage, atRevision: number, limit: number): [string, string | undefined][] {
  const all: [string, string | undefined][] = [];
  let after: string | undefined;
  do {
    const page = storage.list({ prefix: "/", atRevision, limit, after });
    for (const item of page.items) all.push([item.key, item.object.metadata.resourceVersion]);
    after = page.next;
  } while (after !== undefined);
  return all;
}
