// Subscribers by prefix. Each remembers the last revision it was shown, so that history and live changes join without
// gap or repetition even when one subscribes during a delivery.

import type { Change } from "./storage.ts";

interface Subscription {
  readonly prefix: string;
  /** Changes up to this revision are not shown. */
  readonly after: number;
  readonly onChange: (change: Change) => void;
}

interface Subscribers {
  /** Shows `past` at once, then everything that is delivered; returns the unsubscriber. */
  add(subscription: Subscription, past: readonly Change[]): () => void;
  deliver(change: Change): void;
  clear(): void;
}

interface Listener {
  seen: number;
  readonly onChange: (change: Change) => void;
}

export function createSubscribers(): Subscribers {
  const byPrefix = new Map<string, Set<Listener>>();

  function remove(prefix: string, listener: Listener): void {
    const listeners = byPrefix.get(prefix);
    listeners?.delete(listener);
    if (listeners?.size === 0) byPrefix.delete(prefix);
  }

  return {
    add: ({ prefix, after, onChange }, past) => {
      const listener: Listener = { seen: after, onChange };
      const listeners = byPrefix.get(prefix) ?? new Set();
      byPrefix.set(prefix, listeners.add(listener));
      for (const change of past) {
        if (change.key.startsWith(prefix)) show(listener, change);
      }
      return () => remove(prefix, listener);
    },
    deliver: (change) => {
      for (const [prefix, listeners] of byPrefix) {
        if (!change.key.startsWith(prefix)) continue;
        for (const listener of listeners) show(listener, change);
      }
    },
    clear: () => byPrefix.clear(),
  };
}

/**
 * A listener that throws is a bug: it must end the process, but not in the middle of a write that is already durable.
 */
function show(listener: Listener, change: Change): void {
  if (change.revision <= listener.seen) return;
  listener.seen = change.revision;
  try {
    listener.onChange(change);
  } catch (bug) {
    queueMicrotask(() => {
      throw bug;
    });
  }
}
