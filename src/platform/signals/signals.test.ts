import { describe, expect, it } from "vitest";
import { onAbort, runTogether, untilAborted } from "./index.ts";

describe("a handler of a signal", () => {
  it("is called once when it fires, and at once when it has fired", () => {
    const stop = new AbortController();
    const calls: string[] = [];
    onAbort(stop.signal, () => calls.push("before"));
    stop.abort();
    onAbort(stop.signal, () => calls.push("after"));
    expect(calls).toEqual(["before", "after"]);
  });

  it("is not called when it has left, nor without a signal", () => {
    const stop = new AbortController();
    const calls: string[] = [];
    onAbort(stop.signal, () => calls.push("left"))();
    onAbort(undefined, () => calls.push("none"))();
    stop.abort();
    expect(calls).toEqual([]);
  });
});

describe("waiting for a signal", () => {
  it("ends with it, also when it fired before", async () => {
    const stop = new AbortController();
    const waiting = untilAborted(stop.signal);
    stop.abort();
    await waiting;
    await untilAborted(stop.signal);
    expect(stop.signal.aborted).toBe(true);
  });
});

describe("parts that run together", () => {
  it("end with the caller's signal", async () => {
    const stop = new AbortController();
    const ended: number[] = [];
    const part = (name: number) => async (signal: AbortSignal) => {
      await untilAborted(signal);
      ended.push(name);
    };
    const running = runTogether(stop.signal, (either) => [part(1)(either), part(2)(either)]);
    stop.abort();
    await running;
    expect(ended).toEqual([1, 2]);
  });

  it("all end when one fails, and its failure is thrown after the last has ended", async () => {
    const ended: string[] = [];
    const running = runTogether(new AbortController().signal, (either) => [
      Promise.reject(new Error("broken")),
      untilAborted(either).then(() => ended.push("other")),
    ]);
    await expect(running).rejects.toThrow("broken");
    expect(ended).toEqual(["other"]);
  });
});
