// Waits for the end that somebody else decides on: Ctrl-C, SIGTERM, a test.

import { onAbort } from "./on-abort.ts";

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}
