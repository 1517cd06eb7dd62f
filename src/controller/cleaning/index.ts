// Requests that are over are deleted: at the start and every hour, list → plan → act. One key, as there is one list.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Informer, KubeClient } from "../../platform/kube/index.ts";
import type { Counter, Log, Metrics } from "../../platform/report/index.ts";
import type { Feature } from "../loop/index.ts";
import { planCleaning, type Removal } from "./plan.ts";

const CLEANING_KEY = "all-requests";

/** csrcleaner's. */
const INTERVAL_MS = 3_600_000;
/** Cleaning is not urgent: it leaves the connections to requests that wait. */
const DELETES_AT_ONCE = 4;

interface CleaningOptions {
  readonly client: KubeClient;
  readonly log: Log;
  readonly clock: Clock;
  readonly csrs: Pick<Informer<CertificateSigningRequest>, "list" | "hasSynced" | "waitForSync">;
  readonly metrics: Metrics;
}

export function createCleaning(options: CleaningOptions): Feature {
  const { csrs, clock, metrics } = options;
  const removed = metrics.counter({
    name: "countersign_requests_removed_total",
    help: "Certificate requests that were deleted because they are over, by case.",
  });
  return {
    name: "cleaning",
    needs: [csrs],
    isPeriodic: true,
    wakesOn: (wake) => wake(CLEANING_KEY),
    handle: async (_key, signal) => {
      const removals = [...planCleaning(csrs.list(), clock.now())];
      const work = { options, removed, removals, signal };
      await Promise.all(Array.from({ length: DELETES_AT_ONCE }, () => removeAll(work)));
      return { afterMs: INTERVAL_MS };
    },
  };
}

interface Work {
  readonly options: CleaningOptions;
  /** By the case that ended the request. */
  readonly removed: Counter;
  readonly removals: Removal[];
  readonly signal: AbortSignal;
}

/** Takes from the shared list until it is empty. A fault ends it: the loop tries again, with a new plan. */
async function removeAll({ options, removed, removals, signal }: Work): Promise<void> {
  for (let removal = removals.pop(); removal !== undefined && !signal.aborted; removal = removals.pop()) {
    if (await remove(options, removal)) removed.add({ case: removal.because });
  }
}

/**
 * False when there was nothing left to delete. differs from upstream: with the uid as a precondition, so that a request
 * that was deleted and made anew under the same name meanwhile is not taken for the old one.
 */
async function remove({ client, log }: CleaningOptions, { name, uid, because }: Removal): Promise<boolean> {
  try {
    await client.delete(CSRS, { name }, { uid });
    log.info("request deleted", { csr: name, uid, because });
    return true;
  } catch (error) {
    if (isFault(error, "not-found") || isFault(error, "conflict")) return false;
    throw error;
  }
}
