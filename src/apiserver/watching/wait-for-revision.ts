// "At least as new as N": for a client that has seen N elsewhere, a request waits a little until this server has
// reached it.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type Storage, tooLarge } from "../storage/storage.ts";

/** How long kube-apiserver waits before it answers that the revision is too large. */
const FRESHNESS_TIMEOUT_MS = 3_000;

interface RevisionWait {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fault `timeout` when the revision does not come in time, `aborted` when the signal fires. Serves lists and watches.
 */
export async function waitForRevision({ storage, clock, signal }: RevisionWait, revision: number): Promise<void> {
  if (storage.revision() >= revision) return;
  const reached = new AbortController();
  const unsubscribe = storage.watch("", revision - 1, () => reached.abort());
  try {
    await clock.sleep(FRESHNESS_TIMEOUT_MS, AbortSignal.any([reached.signal, ...(signal ? [signal] : [])]));
  } catch (cause) {
    if (!isFault(cause, "aborted")) throw cause;
  } finally {
    unsubscribe();
  }
  if (signal?.aborted === true) throw new Fault("aborted", `stopped while waiting for revision ${revision}`);
  if (storage.revision() < revision) throw tooLarge(revision, storage.revision());
}
