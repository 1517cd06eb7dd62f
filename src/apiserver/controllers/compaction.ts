// The past is forgotten by the clock as well as by its size, as kube-apiserver has etcd compacted every five minutes
// (--etcd-compaction-interval): a list that is not read on within that time is told to begin again, and so is a watch. Clients
// that handle it only when a cluster is busy would not be tested here otherwise.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Storage } from "../storage/storage.ts";

const INTERVAL_MS = 5 * 60_000;

export interface Compaction {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs until the signal fires. What was written within the last interval is kept, what was written in the one before goes. */
export async function runCompaction({ storage, clock, signal }: Compaction): Promise<void> {
  try {
    for (;;) {
      const revision = storage.revision();
      await clock.sleep(INTERVAL_MS, signal);
      storage.compact(revision);
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}
