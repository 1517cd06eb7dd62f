// Tells a quiet watch from a dead reader: events have been waiting for a whole minute and not one was taken. Such a reader
// would otherwise keep its snapshot of old objects alive until the deadline, which may be an hour away.

import type { Clock } from "../../platform/clock/index.ts";
import type { EventQueue } from "./event-queue.ts";

/** Far longer than any pause of a living client, which needs some milliseconds to read what the socket holds. */
const PATIENCE_MS = 60_000;

/** Returns a question to ask now and then: has the reader stalled? */
export function createPatience(queue: EventQueue<unknown>, clock: Clock): () => boolean {
  let taken = queue.taken();
  let sinceMs = clock.now();
  return () => {
    if (queue.isIdle() || queue.taken() !== taken) {
      taken = queue.taken();
      sinceMs = clock.now();
    }
    return clock.now() - sinceMs >= PATIENCE_MS;
  };
}
