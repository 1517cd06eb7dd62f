// What every loop tells of itself: how many items ended how, how long they took, how many wait.

import type { Labels, Metrics } from "../../platform/report/index.ts";

export type ItemOutcome = "done" | "retry" | "wait" | "park";

export interface LoopMetrics {
  ended(loop: string, outcome: ItemOutcome, seconds: number): void;
}

/** From a look at the cache to an API server that is slow. */
const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

export function createLoopMetrics(metrics: Metrics): LoopMetrics {
  const items = metrics.counter({
    name: "countersign_loop_items_total",
    help: "Items that a loop has looked at, by how that ended.",
  });
  const duration = metrics.histogram({
    name: "countersign_loop_item_duration_seconds",
    help: "How long a loop took for one item.",
    buckets: SECONDS,
  });
  // The same objects each time: their text is made once (platform/report/metrics).
  const labels = new Map<string, Record<ItemOutcome | "any", Labels>>();
  const labelsOf = (loop: string) => {
    const known = labels.get(loop);
    if (known !== undefined) return known;
    const of = (outcome: ItemOutcome) => ({ loop, outcome });
    const made = { any: { loop }, done: of("done"), retry: of("retry"), wait: of("wait"), park: of("park") };
    labels.set(loop, made);
    return made;
  };
  return {
    ended: (loop, outcome, seconds) => {
      const { any, [outcome]: exact } = labelsOf(loop);
      items.add(exact);
      duration.observe(any, seconds);
    },
  };
}
