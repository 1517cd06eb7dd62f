// Another process is asking for this node's certificate already: what it stores is ours too. Waiting here, before the
// client is loaded, is what makes many plugins at once cheap. Nothing depends on it: whoever leaves goes on to the lock.

import { existsSync } from "node:fs";
import { storeLayout } from "../certificates/layout.ts";

/** A holder that is alive is done in less; a dead one's lock is taken over by whoever goes on. */
const LONGEST_WAIT_MS = 3_000;
const LOOK_AGAIN_MS = 50;

export async function waitForOther(certDirectory: string, isDone: () => boolean): Promise<boolean> {
  const { lockPath } = storeLayout(certDirectory);
  for (let waitedMs = 0; waitedMs < LONGEST_WAIT_MS && existsSync(lockPath); waitedMs += LOOK_AGAIN_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    if (isDone()) return true;
  }
  return isDone();
}
