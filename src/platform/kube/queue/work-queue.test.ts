import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../../../test/fakes/clock.ts";
import { createWorkQueue, type WorkQueue } from "./work-queue.ts";

let clock: ManualClock;
let queue: WorkQueue;
beforeEach(() => {
  clock = createManualClock();
  queue = createWorkQueue({ clock, random: () => 0, limits: { baseMs: 100, maxMs: 1_000 } });
});

async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  await nextTurn();
  return (await Promise.race([promise, Promise.resolve("waiting")])) === "waiting";
}

describe("a work queue", () => {
  it("hands out keys in the order in which they came, each once", async () => {
    for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
    expect(queue.size()).toBe(3);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(["b", "a", "c"]);
  });

  it("lets a worker wait for the next key, the first worker first", async () => {
    const [first, second] = [queue.get(), queue.get()];
    queue.add("a");
    queue.add("b");
    expect([await first, await second]).toEqual(["a", "b"]);
  });

  it("never hands a key to two workers; added meanwhile, it comes back after done, behind the others", async () => {
    queue.add("a");
    await queue.get();
    queue.add("a");
    queue.add("a");
    const next = queue.get();
    expect(await isWaiting(next)).toBe(true);
    queue.add("b");
    expect(await next).toBe("b");
    queue.add("c");
    queue.done("a");
    expect([await queue.get(), await queue.get()]).toEqual(["c", "a"]);
    queue.done("a");
    expect(queue.size()).toBe(0);
  });

  it("does not come back after done when nobody added it", async () => {
    queue.add("a");
    queue.done(await queue.get());
    expect(queue.size()).toBe(0);
  });

  it("adds a key after a wait, of which the shortest counts", async () => {
    queue.addAfter("a", 500);
    queue.addAfter("a", 200);
    queue.addAfter("a", 900);
    queue.addAfter("b", 0);
    expect(queue.size()).toBe(1);
    await clock.advance(199);
    expect(queue.size()).toBe(1);
    await clock.advance(1);
    expect(queue.size()).toBe(2);
    await clock.advance(10_000);
    expect(queue.size()).toBe(2);
    expect(clock.pending()).toEqual([]);
  });

  it("doubles the wait of a key that fails again and again, up to the maximum, until it is forgotten", () => {
    expect([1, 2, 3, 4, 5].map(() => queue.retry("a"))).toEqual([100, 200, 400, 500, 500]);
    expect(queue.retry("b")).toBe(100);
    queue.forget("a");
    expect(queue.retry("a")).toBe(100);
  });

  it("retries a key that its worker still holds only after done", async () => {
    queue.add("a");
    await queue.get();
    queue.retry("a");
    await clock.advance(100);
    expect(queue.size()).toBe(0);
    queue.done("a");
    expect(queue.size()).toBe(1);
  });

  it("turns a worker away when its signal fires, and loses no key by it", async () => {
    const stop = new AbortController();
    const waiting = queue.get(stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(queue.get(stop.signal)).rejects.toMatchObject({ code: "aborted" });
    queue.add("a");
    expect(await queue.get()).toBe("a");
  });

  it("closed, turns every worker away, drops its waits and takes no more keys", async () => {
    const waiting = queue.get();
    queue.addAfter("a", 100);
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(queue.get()).rejects.toMatchObject({ code: "aborted" });
    queue.add("b");
    queue.addAfter("c", 100);
    expect([queue.size(), clock.pending()]).toEqual([0, []]);
  });
});
