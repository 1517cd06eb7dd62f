// What a replica does from the moment it leads: catch up with what an earlier leader wrote, begin its audit chain, run its
// loops until the term ends.

import { isFault } from "../kernel/outcome/index.ts";
import type { Log } from "../platform/report/index.ts";
import type { Anchor } from "./audit/index.ts";
import type { Feature, Syncing } from "./features.ts";
import { runLoop, runTogether } from "./loop/index.ts";

export interface Duties {
  readonly features: readonly Feature[];
  readonly anchor: Anchor | undefined;
  readonly log: Log;
  /** Reads anew what others may have written last; the copy of a replica that stood by may lag behind. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>;
}

export async function lead(duties: Duties, signal: AbortSignal): Promise<void> {
  const { features, anchor, log } = duties;
  await runTogether(signal, (either) => {
    const caughtUp = unlessAborted(duties.catchUp(either));
    return [
      caughtUp,
      ...features.map((feature) => runAfter(caughtUp, feature, either)),
      ...(anchor === undefined ? [] : [keepAnchored(anchor, log, either)]),
    ];
  });
}

/** A loop starts when its own informers are complete: without rights in kube-public, requests are judged all the same. */
async function runAfter(caughtUp: Promise<boolean>, { loop, needs }: Feature, signal: AbortSignal): Promise<void> {
  if (!(await unlessAborted(untilSynced(needs, signal))) || !(await caughtUp)) return;
  loop.log.info("loop started", { loop: loop.name, workers: loop.workers });
  await runLoop(loop, signal);
}

/** Without the heads of earlier chains a trail can still be checked by itself; without a trail nothing can. */
async function keepAnchored(anchor: Anchor, log: Log, signal: AbortSignal): Promise<void> {
  try {
    await anchor.begin();
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn("the heads of earlier audit chains are not known", { error });
  }
  await anchor.run(signal);
}

export async function untilSynced(needs: readonly Pick<Syncing, "waitForSync">[], signal?: AbortSignal): Promise<void> {
  await Promise.all(needs.map((informer) => informer.waitForSync(signal)));
}

/** False when it was given up. */
async function unlessAborted(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (isFault(error, "aborted")) return false;
    throw error;
  }
}
