// One at a time for each key, in order of arrival. Workers take requests in parallel; those for one node name must see
// each other's result. Within one process only.

export interface KeyedLock {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createKeyedLock(): KeyedLock {
  /** The end of the last work that was queued for a key; it never rejects. */
  const tails = new Map<string, Promise<void>>();
  return {
    run: async (key, work) => {
      const before = tails.get(key) ?? Promise.resolve();
      const result = before.then(work);
      const tail = result.then(
        () => undefined,
        () => undefined, // the caller gets the failure from `result`; the next in line only needs the end
      );
      tails.set(key, tail);
      try {
        return await result;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
