// Parts that live and die together: if one ends by a failure, all are told to end, and the failure is thrown when they have.

/** `start` gets the signal that ends them: the caller's, or that of a failure among them. */
export async function runTogether(
  signal: AbortSignal,
  start: (either: AbortSignal) => readonly Promise<unknown>[],
): Promise<void> {
  const broken = new AbortController();
  const abort = () => broken.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const parts = start(broken.signal);
  try {
    await Promise.all(parts);
  } finally {
    broken.abort();
    signal.removeEventListener("abort", abort);
    await Promise.allSettled(parts);
  }
}
