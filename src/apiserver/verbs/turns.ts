// Writers of one object, one after the other. Two patches that began with the same version cannot both be written: the second
// is made anew. With many at once the same one could lose again and again, so who has lost waits for its turn, and whoever
// comes while others wait goes behind them.

export interface Turns {
  /** Does somebody wait for this key, or write in turn? */
  isTaken(key: string): boolean;
  take<T>(key: string, write: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  /** The last in line of each key; it never rejects. */
  const last = new Map<string, Promise<void>>();
  return {
    isTaken: (key) => last.has(key),
    take: (key, write) => {
      const written = (last.get(key) ?? Promise.resolve()).then(write);
      const done = written.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, done);
      void done.then(() => {
        if (last.get(key) === done) last.delete(key);
      });
      return written;
    },
  };
}
