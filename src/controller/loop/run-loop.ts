// The one queue-and-retry loop of all features: key → handler, several workers, every fault answered by REACTIONS.
// A handler says when it wants to see the key again; nothing else keeps state between two looks at a key.

import { Bug, Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import { retryAfterMs, type WorkQueue } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { ItemOutcome, LoopMetrics } from "./loop-metrics.ts";

/** `afterMs` absent: until the object changes. */
export interface Next {
  readonly afterMs?: number;
}

/** A change is the only reason to look again. */
export const UNTIL_CHANGED: Next = {};

export type Handler = (key: string, signal: AbortSignal) => Promise<Next>;

export interface Loop {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly handle: Handler;
  readonly workers: number;
  readonly log: Log;
  /** In [0, 1). */
  readonly random: () => number;
  /**
   * Its key stands for a look by the clock, not for an object: no change brings it back, so nothing of it is ever
   * parked.
   */
  readonly isPeriodic?: boolean | undefined;
  readonly metrics?: LoopMetrics | undefined;
}

/** A right or a file is repaired by a person: asking more often than once a minute only fills the log. */
const WAIT_MS = 60_000;
/** Waits are stretched by up to this share, so that what failed together does not come back together. */
const JITTER = 0.25;

/** Runs until the signal aborts. Each worker finishes the key it has. */
export async function runLoop(loop: Loop, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: loop.workers }, () => work(loop, signal)));
}

async function work(loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const key = await nextKey(loop.queue, signal);
    if (key === undefined) return;
    try {
      await handleOne(loop, key, signal);
    } finally {
      loop.queue.done(key);
    }
  }
}

async function nextKey(queue: WorkQueue, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await queue.get(signal);
  } catch (error) {
    if (isFault(error, "aborted")) return undefined;
    throw error;
  }
}

async function handleOne(loop: Loop, key: string, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  const outcome = await outcomeOf(loop, key, signal);
  loop.metrics?.ended(loop.name, outcome, (performance.now() - startedMs) / 1_000);
}

async function outcomeOf(loop: Loop, key: string, signal: AbortSignal): Promise<ItemOutcome> {
  try {
    const next = await loop.handle(key, signal);
    loop.queue.forget(key);
    if (next.afterMs !== undefined) loop.queue.addAfter(key, next.afterMs);
    return "done";
  } catch (error) {
    // A bug means a state that was not foreseen: going on would decide about identities in it.
    if (error instanceof Bug) throw error;
    // The next run, or the replica that leads now, looks at it again.
    if (signal.aborted) return "retry";
    const fault = isFault(error) ? error : new Fault("internal", "handler failed unexpectedly", { cause: error });
    return react(loop, key, fault);
  }
}

function react(loop: Loop, key: string, fault: Fault): Reaction {
  const reaction = reactionTo(fault, loop);
  const fields = { loop: loop.name, item: key, reaction, error: fault };
  if (reaction === "park") loop.log.error("item is parked until it changes", fields);
  else loop.log.warn("item is tried again", { ...fields, afterMs: Math.round(schedule(loop, key, fault, reaction)) });
  return reaction;
}

function reactionTo({ code }: Fault, { isPeriodic = false }: Loop): Reaction {
  const reaction = REACTIONS[code];
  return isPeriodic && reaction === "park" ? "wait" : reaction;
}

function schedule({ queue, random }: Loop, key: string, fault: Fault, reaction: Exclude<Reaction, "park">): number {
  const askedMs = reaction === "wait" ? WAIT_MS : retryAfterMs(fault);
  if (askedMs === undefined) return queue.retry(key);
  const afterMs = askedMs * (1 + random() * JITTER);
  queue.addAfter(key, afterMs);
  return afterMs;
}

// What a loop does about a fault of its handler: one of the three edges that translate faults (the others are
// apiserver/reply and cli/terminal). None of them is a denial: an accident of ours is never the requester's fault.
/**
 * `retry`: soon, with a growing, jittered pause: it may pass by itself.
 * `wait`: after a minute: an operator has to change a right, a file or a setting first.
 * `park`: not until the object changes: the same input would fail the same way.
 */
type Reaction = "retry" | "wait" | "park";

export const REACTIONS: Readonly<Record<FaultCode, Reaction>> = {
  malformed: "park",
  "limit-exceeded": "park",
  unsupported: "park",
  untrusted: "wait",
  unauthorized: "wait",
  forbidden: "wait",
  // The object went away between cache and write; if it comes back, that is a change.
  "not-found": "park",
  "already-exists": "retry",
  conflict: "retry",
  // The server refused the write for what it says. A guard on metadata.uid ends here too: the object was replaced.
  invalid: "park",
  expired: "retry",
  "too-many-requests": "retry",
  unavailable: "retry",
  timeout: "retry",
  aborted: "retry",
  denied: "park",
  "failed-request": "park",
  "bad-config": "wait",
  locked: "retry",
  "io-failed": "retry",
  internal: "park",
};
