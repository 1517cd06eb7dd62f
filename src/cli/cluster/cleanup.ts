// What was started is ended in the opposite order, once, and one failure does not keep the rest alive.

export interface Cleanup {
  add(end: () => Promise<void>): void;
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<void>)[] = [];
  return {
    add: (end) => void ends.push(end),
    run: async () => {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        try {
          await end();
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
