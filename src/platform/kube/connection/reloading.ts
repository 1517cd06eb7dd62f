// A value that is read again from time to time, because somebody renews it on disk. Once it has been read, a failed
// reading is reported and the last good value stays: a file is absent for a moment while it is replaced.

import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";

/** Tokens and certificates are renewed minutes to months before they expire. */
const RELOAD_AFTER_MS = 5_000;

export function createReloading<T>(
  what: string,
  load: () => Promise<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => Promise<T> {
  let last: { readonly value: T; readonly atMs: number } | undefined;
  return async () => {
    if (last !== undefined && clock.now() - last.atMs < RELOAD_AFTER_MS) return last.value;
    try {
      last = { value: await load(), atMs: clock.now() };
    } catch (error) {
      if (last === undefined) throw error;
      log.warn("cannot read credentials again, keeping the last ones", { what, error });
      last = { value: last.value, atMs: clock.now() };
    }
    return last.value;
  };
}
