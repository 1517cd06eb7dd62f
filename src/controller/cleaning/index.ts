// Requests that are over are deleted: at the start and every hour, list → plan → act. One key, as there is one list.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Counter } from "../../platform/report/index.ts";
import type { Handler } from "../loop/index.ts";
import { type ActOptions, remove } from "./act.ts";
import { planCleaning, type Removal } from "./plan.ts";

export { createFloodGuard, FLOOD_LIMITS, type FloodGuard, type FloodLimits } from "./flood.ts";
export type { EndCase } from "./plan.ts";

export const CLEANING_KEY = "all-requests";

/** csrcleaner's. */
const INTERVAL_MS = 3_600_000;
/** Cleaning is nobody's hurry: it leaves the connections to those who wait. */
const DELETES_AT_ONCE = 4;

export interface CleaningOptions extends ActOptions {
  readonly clock: Clock;
  readonly listCsrs: () => readonly CertificateSigningRequest[];
  /** By the case that ended it. */
  readonly removed?: Counter | undefined;
}

export function createCleaning(options: CleaningOptions): Handler {
  return async (_key, signal) => {
    const removals = [...planCleaning(options.listCsrs(), options.clock.now())];
    await Promise.all(Array.from({ length: DELETES_AT_ONCE }, () => removeAll(options, removals, signal)));
    return { afterMs: INTERVAL_MS };
  };
}

/** Takes from the shared list until it is empty. A fault ends it: the loop tries again, with a new plan. */
async function removeAll(options: CleaningOptions, removals: Removal[], signal: AbortSignal): Promise<void> {
  for (let removal = removals.pop(); removal !== undefined && !signal.aborted; removal = removals.pop()) {
    if (await remove(options, removal)) options.removed?.add({ case: removal.because });
  }
}
