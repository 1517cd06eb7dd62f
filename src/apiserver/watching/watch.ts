// One watch request from its first event to its end. It begins with the current objects or after a given revision, goes
// on with changes as they become durable, and ends at its deadline, when history no longer reaches back, or when its
// reader falls too far behind. HTTP, encoding and flushing are left to the caller that iterates.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Change } from "../storage/storage.ts";
import { beginWatch, isStreamingList, type WatchScope } from "./beginning.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";
import { bookmarkAt, eventOf, expiredEvent, tooLargeEvent, type WatchedEvent } from "./events.ts";
import { createPatience, runLifetime, watchTimeoutMs } from "./lifetime.ts";
import { waitForRevision } from "./wait-for-revision.ts";

interface WatchRequest extends WatchScope {
  readonly clock: Clock;
  /** A number in [0, 1), for the default timeout. */
  readonly random: () => number;
}

export interface Watch extends AsyncIterable<WatchedEvent> {
  /**
   * Aborts when the reader is given up: too far behind, stalled for too long, or not done some seconds after the
   * deadline. A writer that is stuck on a stalled connection must end it then; it would never ask for the next event.
   */
  readonly abandoned: AbortSignal;
  /** Aborts when the watch has ended, for any reason. It always does: no watch outlives its deadline by much. */
  readonly ended: AbortSignal;
  /** No further changes are queued: the reader gets what is queued, and then the end. */
  finish(): void;
  /** Ends the watch now; what is queued is dropped. */
  close(): void;
}

/**
 * Changes that may wait for one reader: a burst of 100 nodes, ten changes each. Readers and history share the objects,
 * so a queue costs little more than its pointers; beyond the bound the watch ends, and the client resumes or lists
 * again.
 */
const QUEUE_LIMIT = 1_024;

export function createWatch(request: WatchRequest): Watch {
  const { storage, resource, clock, parameters } = request;
  const queue = createEventQueue<WatchedEvent>(QUEUE_LIMIT);
  const ended = new AbortController();
  const abandoned = new AbortController();

  const close = (): void => {
    ended.abort();
    queue.discard();
  };
  const abandon = (): void => {
    close();
    abandoned.abort();
  };
  const onChange = (change: Change): void => {
    const event = eventOf(change, request.matches);
    if (event !== undefined && !queue.push(event)) abandon();
  };
  const isStalled = createPatience(queue, clock);
  const onWake = (): void => {
    if (isStalled()) abandon();
    // No bookmark while the reader is behind, and none below a revision that the client has seen elsewhere.
    if (parameters.allowWatchBookmarks !== true || !queue.isIdle()) return;
    if (storage.revision() >= (parameters.resourceVersion ?? 0)) queue.push(bookmarkAt(storage.revision(), resource));
  };

  async function begin(): Promise<void> {
    // Only a streaming list promises a state that is new enough; a watch after a future revision waits for changes.
    const wanted = isStreamingList(parameters) ? (parameters.resourceVersion ?? 0) : 0;
    try {
      if (wanted > storage.revision()) await waitForRevision({ storage, clock, signal: ended.signal }, wanted);
      const { opening, unsubscribe } = beginWatch(request, onChange);
      ended.signal.addEventListener("abort", unsubscribe, { once: true });
      queue.open(opening);
    } catch (cause) {
      if (isFault(cause, "aborted")) return;
      queue.open([failureEvent(cause)]);
      queue.finish();
    }
  }

  // Without a revision to wait for, the opening is complete before this function returns: no change is missed.
  void begin();
  void runLifetime({
    clock,
    deadlineMs: clock.now() + watchTimeoutMs(parameters.timeoutSeconds, request.random),
    signal: ended.signal,
    onWake,
    onDeadline: queue.finish,
    onStalled: abandon,
  });
  return {
    abandoned: abandoned.signal,
    ended: ended.signal,
    finish: queue.finish,
    close,
    [Symbol.asyncIterator]: () => eventsOf(queue, close),
  };
}

/** A reader that stops early ends the watch as well. */
async function* eventsOf(queue: EventQueue<WatchedEvent>, close: () => void): AsyncGenerator<WatchedEvent> {
  try {
    for (let event = await queue.take(); event !== undefined; event = await queue.take()) yield event;
  } finally {
    close();
  }
}

function failureEvent(cause: unknown): WatchedEvent {
  if (isFault(cause, "expired")) return expiredEvent(cause);
  if (isFault(cause, "timeout")) return tooLargeEvent(cause);
  throw cause;
}
