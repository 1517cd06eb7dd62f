import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { FAULT_CODES } from "../../kernel/outcome/fault.ts";
import { Bug, Fault } from "../../kernel/outcome/index.ts";
import { createWorkQueue } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { type Handler, type Loop, REACTIONS, runLoop, UNTIL_CHANGED } from "./run-loop.ts";

function startLoop(handle: Handler, workers = 2, more: Partial<Loop> = {}) {
  const clock = createManualClock();
  const queue = createWorkQueue({ clock, random: () => 0, limits: { baseMs: 100, maxMs: 30_000 } });
  const stop = new AbortController();
  const ended = runLoop(
    { name: "test", queue, handle, workers, log: silentLog, random: () => 0, ...more },
    AbortSignal.any([stop.signal]),
  );
  return {
    clock,
    queue,
    ended,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

describe("the loop", () => {
  it("hands each key to the handler once and ends when it is told to", async () => {
    const seen: string[] = [];
    const loop = startLoop(async (key) => {
      seen.push(key);
      return UNTIL_CHANGED;
    });
    loop.queue.add("a");
    loop.queue.add("b");
    await loop.clock.advance(0);
    await loop.stop();
    expect(seen).toEqual(["a", "b"]);
  });

  it("looks again when the handler asks for it", async () => {
    let looks = 0;
    const loop = startLoop(async () => {
      looks++;
      return looks === 1 ? { afterMs: 2_000 } : UNTIL_CHANGED;
    });
    loop.queue.add("a");
    await loop.clock.advance(1_999);
    expect(looks).toBe(1);
    await loop.clock.advance(1);
    expect(looks).toBe(2);
    await loop.stop();
  });

  it("never runs one key twice at the same time, but a change in between is not lost", async () => {
    let running = 0;
    let most = 0;
    let looks = 0;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const loop = startLoop(async () => {
      running++;
      looks++;
      most = Math.max(most, running);
      await held;
      running--;
      return UNTIL_CHANGED;
    }, 5);
    loop.queue.add("a");
    await loop.clock.advance(0);
    loop.queue.add("a");
    loop.queue.add("a");
    await loop.clock.advance(0);
    expect(looks).toBe(1);
    release();
    await loop.clock.advance(0);
    await loop.stop();
    expect([most, looks]).toEqual([1, 2]);
  });

  it("tries again after an outage, with pauses that grow, until it is over", async () => {
    let looks = 0;
    const loop = startLoop(async () => {
      looks++;
      if (looks <= 3) throw new Fault("unavailable", "server is away");
      return UNTIL_CHANGED;
    });
    loop.queue.add("a");
    await loop.clock.advance(100);
    expect(looks).toBe(2);
    await loop.clock.advance(200);
    expect(looks).toBe(3);
    await loop.clock.advance(400);
    expect(looks).toBe(4);
    await loop.clock.advance(3_600_000);
    expect(looks).toBe(4);
    await loop.stop();
  });

  it("waits as long as a busy server asks for", async () => {
    let looks = 0;
    const loop = startLoop(async () => {
      looks++;
      if (looks === 1) throw new Fault("too-many-requests", "slow down", { detail: { retryAfterMs: 7_000 } });
      return UNTIL_CHANGED;
    });
    loop.queue.add("a");
    await loop.clock.advance(6_999);
    expect(looks).toBe(1);
    await loop.clock.advance(1);
    expect(looks).toBe(2);
    await loop.stop();
  });

  it("asks once a minute where a right is missing", async () => {
    let looks = 0;
    const loop = startLoop(() => {
      looks++;
      throw new Fault("forbidden", "cannot patch");
    });
    loop.queue.add("a");
    await loop.clock.advance(180_000);
    expect(looks).toBe(4);
    await loop.stop();
  });

  it("parks a key that cannot succeed, surprises included, and serves the others", async () => {
    const seen: string[] = [];
    const loop = startLoop(async (key) => {
      seen.push(key);
      if (key === "bad") throw new Fault("malformed", "not DER");
      if (key === "surprise") throw new TypeError("x is undefined");
      return UNTIL_CHANGED;
    });
    for (const key of ["bad", "surprise", "good"]) loop.queue.add(key);
    await loop.clock.advance(3_600_000);
    expect(seen).toEqual(["bad", "surprise", "good"]);
    loop.queue.add("bad");
    await loop.clock.advance(0);
    expect(seen.at(-1)).toBe("bad");
    await loop.stop();
  });

  const parking = FAULT_CODES.filter((code) => REACTIONS[code] === "park");
  it.each(parking)(
    "that looks by the clock is never parked, not by %s: no change would bring it back",
    async (code) => {
      let looks = 0;
      const look: Handler = async () => {
        looks++;
        if (looks === 1) throw new Fault(code, "cannot be done now");
        return { afterMs: 3_600_000 };
      };
      const loop = startLoop(look, 1, { isPeriodic: true });
      loop.queue.add("all");
      await loop.clock.advance(59_999);
      expect(looks).toBe(1);
      await loop.clock.advance(1);
      expect(looks).toBe(2);
      await loop.clock.advance(3_600_000);
      expect(looks).toBe(3);
      await loop.stop();
    },
  );

  it("ends with a bug: going on would decide about identities in a state nobody thought of", async () => {
    const loop = startLoop(() => Promise.reject(new Bug("cannot be")), 1);
    loop.queue.add("a");
    await expect(loop.ended).rejects.toThrow("cannot be");
  });
});

describe("reactions", () => {
  it("answer every fault code, and retry at least what calls itself retryable", () => {
    for (const code of FAULT_CODES) {
      const { retryable } = new Fault(code, "x");
      if (retryable) expect(REACTIONS[code], code).toBe("retry");
      else expect(["retry", "wait", "park"], code).toContain(REACTIONS[code]);
    }
  });
});
