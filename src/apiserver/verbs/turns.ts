// Writers of one object, one after the other. Of two patches that began with the same version only one can be written;
// the other is made again. With many at once the same one could lose every time, so a writer that has lost waits for
// its turn, and writers that arrive meanwhile queue behind it.

export interface Turns {
  /** Is a writer of this key waiting or writing in turn? */
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
