// Parts that live and die together: if one ends by a failure, all are told to end, and the failure is thrown when they have.

import { onAbort } from "./on-abort.ts";

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
