// Readers that take nothing of the answer they asked for. Each keeps a part of it in this process, so two bounds hold:
// how long one reader may stall, and how many bytes all of them may keep together. Above that sum the readers that have
// stalled longest are cut off first. A reader is given a second in any case: in a busy moment many wait for their
// socket.

import type { ServerResponse } from "node:http";

export interface StalledReaderLimits {
  readonly longestMs: number;
  /** Of all stalled readers together. */
  readonly heldBytes: number;
}

/** The sum is some forty answers of the largest object that the API server takes. */
export const STALLED_READER_LIMITS: StalledReaderLimits = { longestMs: 30_000, heldBytes: 64 * 2 ** 20 };

const PATIENCE_MS = 1_000;

export interface StalledReaders {
  /** Resolves once the reader has taken what it was given, or is gone. `bytes` is what is kept for it until then. */
  drained(response: ServerResponse, bytes: number): Promise<void>;
}

interface Stalled {
  readonly response: ServerResponse;
  readonly bytes: number;
  readonly sinceMs: number;
}

export function createStalledReaders({ longestMs, heldBytes }: StalledReaderLimits): StalledReaders {
  /** In the order in which they stalled. */
  const stalled = new Set<Stalled>();
  let held = 0;
  let isLooking = false;

  function forget(reader: Stalled): void {
    if (stalled.delete(reader)) held -= reader.bytes;
  }

  function cutLongest(): void {
    isLooking = false;
    for (const reader of stalled) {
      if (held <= heldBytes || performance.now() - reader.sinceMs < PATIENCE_MS) break;
      forget(reader);
      reader.response.destroy();
    }
    look();
  }

  function look(): void {
    if (isLooking || held <= heldBytes) return;
    isLooking = true;
    setTimeout(cutLongest, PATIENCE_MS).unref();
  }

  return {
    drained: (response, bytes) =>
      new Promise<void>((resolve) => {
        const reader: Stalled = { response, bytes, sinceMs: performance.now() };
        const longest = setTimeout(() => response.destroy(), longestMs);
        const go = () => {
          clearTimeout(longest);
          forget(reader);
          response.off("drain", go);
          response.off("close", go);
          resolve();
        };
        stalled.add(reader);
        held += bytes;
        look();
        response.once("drain", go);
        response.once("close", go);
      }),
  };
}
