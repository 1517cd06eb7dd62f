import { describe, expect, it } from "vitest";
import { createEventQueue } from "./event-queue.ts";

describe("an event queue", () => {
  it("gives the opening events first, then the live ones, then the end", async () => {
    const queue = createEventQueue<string>(10);
    queue.open(["a", "b"]);
    queue.push("c");
    queue.finish();
    expect([await queue.take(), await queue.take(), await queue.take(), await queue.take()]).toEqual([
      "a",
      "b",
      "c",
      undefined,
    ]);
  });

  it("lets a reader wait until it is opened, and for each live event", async () => {
    const queue = createEventQueue<string>(10);
    const first = queue.take();
    expect(queue.isIdle()).toBe(false);
    queue.open([]);
    expect(queue.isIdle()).toBe(true);
    queue.push("a");
    expect(await first).toBe("a");
    expect(queue.isIdle()).toBe(false);
  });

  it("refuses one live event more than its limit, however many the opening has", () => {
    const queue = createEventQueue<number>(2);
    queue.open([1, 2, 3, 4]);
    expect([queue.push(5), queue.push(6), queue.push(7)]).toEqual([true, true, false]);
  });

  it("drops what is queued when it is discarded, and takes nothing more", async () => {
    const queue = createEventQueue<string>(10);
    queue.open(["a"]);
    queue.push("b");
    queue.discard();
    queue.push("c");
    expect(await queue.take()).toBeUndefined();
  });

  it("reads the opening only as fast as it is taken", async () => {
    const read: number[] = [];
    const queue = createEventQueue<number>(10);
    queue.open(
      (function* () {
        for (let n = 1; ; n++) {
          read.push(n);
          yield n;
        }
      })(),
    );
    await queue.take();
    await queue.take();
    expect(read).toEqual([1, 2]);
  });
});
