// A stranger's code is given a signal, and may not mind it: whoever asks goes on when the signal fires, and leaves it behind.
import { onAbort } from "../../platform/signals/index.ts";

/** What the call answers or throws; the signal's reason where that fires first. */
export async function unlessAborted<Answer>(signal: AbortSignal, call: () => Promise<Answer>): Promise<Answer> {
  let leave: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = onAbort(signal, () => reject(signal.reason));
  });
  try {
    // Called inside of a function that is asynchronous: a stranger's may throw before it has made its promise.
    return await Promise.race([aborted, (async () => await call())()]);
  } finally {
    leave();
  }
}
