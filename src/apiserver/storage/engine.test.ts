import { describe, expect, it } from "vitest";
import { createEngine, FIRST_REVISION } from "./engine.ts";
import type { JournalBatch } from "./journal.ts";
import type { Storage } from "./storage.ts";

const object = (value: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name: value } });

/** A journal whose flushes end when the test says so. */
function createHeldJournal() {
  const held: { batch: JournalBatch; flushed: () => void; failed: (cause: unknown) => void }[] = [];
  return {
    held,
    append: (batch: JournalBatch) =>
      new Promise<void>((flushed, failed) => {
        held.push({ batch, flushed, failed });
      }),
    close: async () => undefined,
  };
}

function createHeldStorage() {
  const journal = createHeldJournal();
  const storage = createEngine({ journal, revision: FIRST_REVISION, rows: [] });
  const seen: string[] = [];
  storage.watch("/", FIRST_REVISION, (change) => seen.push(`${change.type} ${change.key}`));
  return { storage, held: journal.held, seen };
}

/** All microtasks that are due, and a turn of the event loop. */
/** A waiting batch begins in the first turn of the event loop, and its writers are answered in the second. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
}

function observe(promise: Promise<unknown>): { outcome: string } {
  const observed = { outcome: "pending" };
  promise.then(
    () => {
      observed.outcome = "acknowledged";
    },
    (cause) => {
      observed.outcome = cause.code;
    },
  );
  return observed;
}

const visible = (storage: Storage) => ({
  revision: storage.revision(),
  got: storage.get("//nodes//a")?.revision,
  listed: storage.list({ prefix: "/" }).items.length,
});

describe("before the flush", () => {
  it("a write is visible to no writer, reader or watcher", async () => {
    const { storage, held, seen } = createHeldStorage();
    const create = observe(storage.create("//nodes//a", object("a")));
    await settle();
    expect(held[0]?.batch.revision).toBe(2);
    expect({ ...create, ...visible(storage), seen }).toEqual({
      outcome: "pending",
      revision: 1,
      got: undefined,
      listed: 0,
      seen: [],
    });
    held[0]?.flushed();
    await settle();
    expect({ ...create, ...visible(storage), seen }).toEqual({
      outcome: "acknowledged",
      revision: 2,
      got: 2,
      listed: 1,
      seen: ["ADDED //nodes//a"],
    });
  });

  it("a refusal that would give an unflushed write away waits with it", async () => {
    const { storage, held } = createHeldStorage();
    const winner = observe(storage.create("//nodes//a", object("a")));
    const loser = observe(storage.create("//nodes//a", object("a")));
    await settle();
    expect([winner.outcome, loser.outcome]).toEqual(["pending", "pending"]);
    held[0]?.flushed();
    await settle();
    expect([winner.outcome, loser.outcome]).toEqual(["acknowledged", "already-exists"]);
  });
});

describe("group commit", () => {
  it("writes what is issued together in one batch, and what arrives during a flush in the next", async () => {
    const { storage, held } = createHeldStorage();
    const writes = ["a", "b"].map((name) => storage.create(`//nodes//${name}`, object(name)));
    await settle();
    for (const name of ["c", "d", "e"]) writes.push(storage.create(`//nodes//${name}`, object(name)));
    await settle();
    expect(held.map(({ batch }) => batch.entries.length)).toEqual([2]);
    held[0]?.flushed();
    await settle();
    expect(held.map(({ batch }) => batch.entries.length)).toEqual([2, 3]);
    held[1]?.flushed();
    expect((await Promise.all(writes)).map(({ revision }) => revision)).toEqual([2, 3, 4, 5, 6]);
  });

  it("flushes nothing when every write of a batch is refused", async () => {
    const { storage, held } = createHeldStorage();
    await expect(storage.delete("//nodes//a", 1)).rejects.toMatchObject({ code: "not-found" });
    expect(held).toEqual([]);
  });
});

describe("a disk that refuses", () => {
  it("fails the whole batch and leaves everything as it was", async () => {
    const { storage, held, seen } = createHeldStorage();
    const writes = ["a", "b"].map((name) => observe(storage.create(`//nodes//${name}`, object(name))));
    await settle();
    held[0]?.failed(new TypeError("no space left"));
    await settle();
    expect(writes.map(({ outcome }) => outcome)).toEqual(["io-failed", "io-failed"]);
    expect({ ...visible(storage), seen }).toEqual({ revision: 1, got: undefined, listed: 0, seen: [] });
  });

  it("does not stop the next write, which takes the revision that was never used", async () => {
    const { storage, held } = createHeldStorage();
    observe(storage.create("//nodes//a", object("a")));
    await settle();
    held[0]?.failed(new TypeError("no space left"));
    await settle();
    const next = storage.create("//nodes//b", object("b"));
    await settle();
    held[1]?.flushed();
    expect((await next).revision).toBe(2);
  });
});
