// What a replica does from the moment it leads: catch up with what an earlier leader wrote, begin its audit chain, run
// its loops until the term ends.

import { isFault } from "../kernel/outcome/index.ts";
import type { Log } from "../platform/report/index.ts";
import { runTogether } from "../platform/signals/index.ts";
import type { Anchor, RevocationAudit } from "./audit/index.ts";
import { type Loop, runLoop, type Syncing } from "./loop/index.ts";
import type { PolicyAudit } from "./policy/index.ts";

/** A feature on its queue. */
export interface RunningFeature {
  /** As `--controllers` calls it. */
  readonly name: string;
  readonly needs: readonly Syncing[];
  readonly loop: Loop;
}

export interface Duties {
  readonly features: readonly RunningFeature[];
  readonly anchor: Anchor | undefined;
  readonly revocations: RevocationAudit;
  readonly policyChanges: PolicyAudit;
  readonly log: Log;
  /** Reads anew what others may have written last; the copy of a replica that stood by may lag behind. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>;
}

export async function lead(duties: Duties, signal: AbortSignal): Promise<void> {
  const { features, anchor, log, revocations, policyChanges } = duties;
  await runTogether(signal, (either) => {
    const begun = anchor === undefined ? Promise.resolve() : beginTrail(anchor, log);
    const ready = begun.then(() => unlessAborted(duties.catchUp(either)));
    return [
      ready,
      begun.then(() => unlessAborted(policyChanges.run(either))),
      ...features.map((feature) => runAfter(ready, feature, either)),
      begun.then(() => unlessAborted(revocations.run(either))),
      begun.then(() => anchor?.run(either)),
    ];
  });
}

/**
 * A loop starts when its own informers are complete: without rights in kube-public, requests are judged all the same.
 */
async function runAfter(ready: Promise<boolean>, { loop, needs }: RunningFeature, signal: AbortSignal): Promise<void> {
  if (!(await unlessAborted(untilSynced(needs, signal))) || !(await ready)) return;
  loop.log.info("loop started", { loop: loop.name, workers: loop.workers });
  await runLoop(loop, signal);
}

/**
 * Before the first entry, whose chain names the heads that were found. Without them a trail can still be checked by
 * itself; without a trail nothing can.
 */
async function beginTrail(anchor: Anchor, log: Log): Promise<void> {
  try {
    await anchor.begin();
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn("the heads of earlier audit chains are not known", { error });
  }
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
