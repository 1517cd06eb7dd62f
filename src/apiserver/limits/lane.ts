// Where expensive work waits for its turn. All requests share one thread, and a body of some megabytes keeps it busy
// for hundreds of milliseconds in sum. So an expensive request is done in steps, one step of one request at a time, and
// other requests are served between two steps. The users in the lane take turns: a user that sends a hundred large
// bodies delays only itself.

import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "../call.ts";
import type { Content } from "../storage/storage.ts";

export interface Lane {
  /** Resolves when the caller may work until its next `await`. */
  turn(user: string): Promise<void>;
}

/** After a long step other requests get this much time: enough for a write to reach the disk. */
const REST_MS = 10;
const LONG_STEP_MS = 5;

type Begin = () => void;

export function createLane(): Lane {
  /** By user, the next one first. */
  const waiting = new Map<string, Begin[]>();
  let isRunning = false;

  function next(): Begin | undefined {
    for (const [user, steps] of waiting) {
      const step = steps.shift();
      waiting.delete(user);
      if (steps.length > 0) waiting.set(user, steps);
      return step;
    }
    return undefined;
  }

  async function run(): Promise<void> {
    isRunning = true;
    for (let begin = next(); begin !== undefined; begin = next()) {
      const begunMs = performance.now();
      begin();
      // The step runs when its promise resolves, before the next turn of the event loop.
      await new Promise((done) => setImmediate(done));
      if (performance.now() - begunMs > LONG_STEP_MS) await delay(REST_MS);
    }
    isRunning = false;
  }

  return {
    turn: (user) =>
      new Promise((begin) => {
        const steps = waiting.get(user);
        if (steps === undefined) waiting.set(user, [begin]);
        else steps.push(begin);
        if (!isRunning) void run();
      }),
  };
}

// Which requests are expensive, and how they wait: a verb calls `heavyTurn` between its steps.

/**
 * A smaller request is done at once: leases, pods and certificate requests have a few kilobytes. So many bytes of the
 * most expensive kind take some twenty milliseconds in all.
 */
const LIGHT_BYTES = 16 * 1024;

interface Heavy {
  readonly call: Call;
}

/**
 * An expensive request continues when it is its turn, all others at once. The stored object counts as the body does.
 * Returns whether the request is expensive.
 */
export async function heavyTurn({ call }: Heavy, current?: Content): Promise<boolean> {
  const stored = current === undefined ? 0 : (current.text?.length ?? LIGHT_BYTES);
  if ((call.sentBody()?.length ?? 0) + stored < LIGHT_BYTES) return false;
  await call.pause();
  return true;
}
