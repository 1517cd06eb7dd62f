// Between storage, which never waits, and one reader, which may be slow. The opening events (a snapshot, or the
// history) are read one by one from what storage holds; only later changes are queued, up to a bound.

export interface EventQueue<T> {
  /** The events that come first. Until it is called, `take` waits. */
  open(events: Iterable<T>): void;
  /** False when the reader is too far behind to take one more. */
  push(event: T): boolean;
  /** The reader has taken everything and waits for more. */
  isIdle(): boolean;
  /** How many events the reader has taken so far. */
  taken(): number;
  /** No more events; those that are queued can still be taken. */
  finish(): void;
  /** Ends now: what is queued is dropped. */
  discard(): void;
  /** The next event, undefined after the last. One reader: a second `take` must wait for the first. */
  take(): Promise<T | undefined>;
}

export function createEventQueue<T>(limit: number): EventQueue<T> {
  let opening: Iterator<T> | undefined;
  let isOpen = false;
  let live: T[] = [];
  let finished = false;
  let taken = 0;
  let waiter: ((event: T | undefined) => void) | undefined;

  function next(): T | undefined {
    const first = opening?.next();
    if (first !== undefined && first.done !== true) return first.value;
    opening = undefined;
    return live.shift();
  }

  /** Hands the next event, or the end, to a reader that waits. */
  function wake(): void {
    if (waiter === undefined) return;
    const event = next();
    if (event === undefined && !finished) return;
    if (event !== undefined) taken += 1;
    const resolve = waiter;
    waiter = undefined;
    resolve(event);
  }

  return {
    open: (events) => {
      isOpen = true;
      opening = events[Symbol.iterator]();
      wake();
    },
    push: (event) => {
      if (finished) return true;
      if (live.length >= limit) return false;
      live.push(event);
      wake();
      return true;
    },
    isIdle: () => isOpen && waiter !== undefined,
    taken: () => taken,
    finish: () => {
      finished = true;
      wake();
    },
    discard: () => {
      finished = true;
      opening = undefined;
      live = [];
      wake();
    },
    take: () =>
      new Promise((resolve) => {
        waiter = resolve;
        wake();
      }),
  };
}
