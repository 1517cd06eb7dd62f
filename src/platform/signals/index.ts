// Listening to a signal that outlives the listener. Many calls share one signal, each for a short time: that is no
// leak, so Node's warning about more than ten listeners is switched off for it; every listener is taken off again by
// its owner.

import { setMaxListeners } from "node:events";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";

/** Calls `handler` once, at once if the signal has already fired. Returns what takes the listener off. */
export function onAbort(signal: AbortSignal | undefined, handler: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    handler();
    return () => undefined;
  }
  setMaxListeners(0, signal);
  signal.addEventListener("abort", handler, { once: true });
  return () => signal.removeEventListener("abort", handler);
}

/** Why it fired: the Fault that was given as its reason, or `aborted` with this message. */
export function reasonOf(signal: AbortSignal | undefined, words: string): Fault {
  const reason: unknown = signal?.reason;
  return isFault(reason) ? reason : new Fault("aborted", words, { cause: reason });
}

// Waits until the signal fires: Ctrl-C, SIGTERM, the end of a test.

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}

// Parts that live and die together: if one ends by a failure, all are told to end, and the failure is thrown when they
// have.

/** `start` gets the signal that ends them: the caller's, or that of a failure among them. */
export async function runTogether(
  signal: AbortSignal,
  start: (either: AbortSignal) => readonly Promise<unknown>[],
): Promise<void> {
  const broken = new AbortController();
  const leave = onAbort(signal, () => broken.abort(signal.reason));
  const parts = start(broken.signal);
  try {
    await Promise.all(parts);
  } finally {
    broken.abort();
    leave();
    await Promise.allSettled(parts);
  }
}

// A bounded wait whose fault names what was still awaited.

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
    // Without its cause: which call was cut short explains nothing.
    throw new Fault("timeout", overdue());
  } finally {
    finished.abort();
    leave();
    await alarm;
  }
}
