// A judge that looks at a clock, throws dice or asks the network gives another answer tomorrow. While it runs, these fail.

const FORBIDDEN: readonly (readonly [holder: object, name: string, what: string])[] = [
  [Date, "now", "a judge asked the clock; time is question.nowMs"],
  [Math, "random", "a judge used randomness"],
  [globalThis, "fetch", "a judge asked the network; that is what gather is for"],
];

/** Runs what must be synchronous; the real functions are back when it returns. */
export function withoutTheWorld<T>(run: () => T): T {
  const kept = FORBIDDEN.map(([holder, name]) => Object.getOwnPropertyDescriptor(holder, name));
  for (const [holder, name, what] of FORBIDDEN) {
    const value = () => {
      throw new TypeError(what);
    };
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  }
  try {
    return run();
  } finally {
    for (const [at, [holder, name]] of FORBIDDEN.entries()) {
      const descriptor = kept[at];
      if (descriptor !== undefined) Object.defineProperty(holder, name, descriptor);
    }
  }
}
