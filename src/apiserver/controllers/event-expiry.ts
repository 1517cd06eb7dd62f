// Events are told for an hour and then forgotten, as with kube-apiserver's --event-ttl. Without this the diary of a busy
// cluster would outgrow everything else in storage.

import { EVENTS, type KubeObject } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";

const EVENT_LIFETIME_MS = 60 * 60_000;
/** An event may be told up to this much longer than it lives. */
const SWEEP_INTERVAL_MS = 60_000;

export interface EventExpiry {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Runs until the signal fires. */
export async function runEventExpiry({ storage, clock, signal }: EventExpiry): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(SWEEP_INTERVAL_MS, signal);
      await expireEvents(storage, clock.now());
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

export async function expireEvents(storage: Storage, nowMs: number): Promise<void> {
  const { items } = storage.list({ prefix: prefixOf(EVENTS) });
  for (const { key, revision } of items.filter((item) => isOver(item.object, nowMs))) {
    try {
      await storage.delete(key, revision);
    } catch (error) {
      // Somebody wrote it in between: it lives on, or it is gone already.
      if (!isFault(error, "conflict") && !isFault(error, "not-found")) throw error;
    }
  }
}

/** The newest of its times counts: an event that goes on happening is news. */
function isOver(object: KubeObject, nowMs: number): boolean {
  const { lastTimestamp, eventTime, series } = object as KubeObject & {
    lastTimestamp?: string;
    eventTime?: string;
    series?: { lastObservedTime?: string };
  };
  const times = [object.metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime];
  const known = times.map((time) => Date.parse(time ?? "")).filter((ms) => !Number.isNaN(ms));
  return known.length > 0 && Math.max(...known) + EVENT_LIFETIME_MS <= nowMs;
}
