// A bounded wait that says, when it is over, what was still awaited: that is what a person needs to know.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";
import { onAbort } from "./on-abort.ts";

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** The caller's reason to stop; it ends the work with `aborted`, not with `timeout`. */
  readonly signal: AbortSignal | undefined;
  /** The fault's message: what took too long, and what is awaited now. */
  readonly overdue: () => string;
}

export async function withinLimit<T>(limit: Limit, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, limitMs, signal, overdue } = limit;
  const stop = new AbortController();
  const finished = new AbortController();
  const giveUp = () => stop.abort();
  const leave = onAbort(signal, giveUp);
  let isOver = false;
  const alarm = clock.sleep(limitMs, finished.signal).then(
    () => {
      isOver = true;
      giveUp();
    },
    () => undefined, // the work ended first
  );
  try {
    return await act(stop.signal);
  } catch (cause) {
    if (!isOver || !isFault(cause, "aborted")) throw cause;
    // Without its cause: that we gave up is the whole of it, and which call was cut short tells nobody anything.
    throw new Fault("timeout", overdue());
  } finally {
    finished.abort();
    leave();
    await alarm;
  }
}
