// Listening to a signal that outlives the listener. Many calls share one signal, each for a short time: that is no leak, so
// Node's warning about more than ten listeners is switched off for it; every listener is taken off again by its owner.

import { setMaxListeners } from "node:events";
import { Fault, isFault } from "../../kernel/outcome/index.ts";

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

/** Why it fired: the Fault that whoever fired it gave, or `aborted` in these words. */
export function reasonOf(signal: AbortSignal | undefined, words: string): Fault {
  const reason: unknown = signal?.reason;
  return isFault(reason) ? reason : new Fault("aborted", words, { cause: reason });
}
