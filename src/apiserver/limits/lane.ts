// Where dear work waits for its turn. All requests share one thread, and a body of some megabytes keeps it busy for hundreds
// of milliseconds in sum. So a dear request is done in steps, one step of one request at a time, and between two steps
// everybody else is served. The users in the lane take turns: who sends a hundred dear bodies waits for himself.

import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "../call.ts";
import type { Content } from "../storage/storage.ts";

export interface Lane {
  /** Resolves when the caller may work until its next `await`. */
  turn(user: string): Promise<void>;
}

/** After a step that was long, others get so much time: enough for a write with its way to the disk and back. */
const REST_MS = 10;
const LONG_STEP_MS = 5;

type Begin = () => void;

export function createLane(): Lane {
  /** By user, the one whose turn is next first. */
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
      // The step runs when its promise is told, before the next turn of the event loop.
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

// Which requests are dear, and how they wait: a verb calls `heavyTurn` between its steps.

/**
 * Below it a request is done at once: leases, pods and certificate requests have a few kilobytes. So many bytes of the dearest
 * kind take some twenty milliseconds in all.
 */
const LIGHT_BYTES = 16 * 1024;

interface Heavy {
  readonly call: Call;
}

/**
 * A dear request goes on when it is its turn, all others at once. The object it is about counts as its body does. Returns
 * whether it is dear.
 */
export async function heavyTurn({ call }: Heavy, current?: Content): Promise<boolean> {
  const stored = current === undefined ? 0 : (current.text?.length ?? LIGHT_BYTES);
  if ((call.sentBody()?.length ?? 0) + stored < LIGHT_BYTES) return false;
  await call.pause();
  return true;
}
