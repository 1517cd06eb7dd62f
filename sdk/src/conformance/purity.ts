// A judge that reads a clock, uses randomness or calls the network may answer differently tomorrow. While it runs,
// these fail.

const CLOCK = "a judge asked the clock; time is question.nowMs";
const DICE = "a judge used randomness";
const NETWORK = "a judge asked the network; that is what gather is for";

interface Forbidden {
  readonly holder: object;
  readonly name: string;
  readonly value: unknown;
}

const FORBIDDEN: readonly Forbidden[] = [
  { holder: Date, name: "now", value: refusing(CLOCK) },
  { holder: globalThis, name: "Date", value: withoutNow(Date) },
  { holder: globalThis.performance, name: "now", value: refusing(CLOCK) },
  { holder: Math, name: "random", value: refusing(DICE) },
  { holder: globalThis.crypto, name: "getRandomValues", value: refusing(DICE) },
  { holder: globalThis.crypto, name: "randomUUID", value: refusing(DICE) },
  { holder: globalThis, name: "fetch", value: refusing(NETWORK) },
];

/** Runs what must be synchronous; the real functions are back when it returns. */
export function withoutTheWorld<T>(run: () => T): T {
  const kept = FORBIDDEN.map(({ holder, name }) => Object.getOwnPropertyDescriptor(holder, name));
  for (const { holder, name, value } of FORBIDDEN) {
    Object.defineProperty(holder, name, { value, configurable: true, writable: true });
  }
  try {
    return run();
  } finally {
    for (const [at, { holder, name }] of FORBIDDEN.entries()) {
      const descriptor = kept[at];
      if (descriptor === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, descriptor);
    }
  }
}

function refusing(what: string): () => never {
  return () => {
    throw new TypeError(what);
  };
}

/** `new Date(ms)` and `Date.parse` are arithmetic; `new Date()` and `Date()` are the clock. */
function withoutNow(real: DateConstructor): DateConstructor {
  return new Proxy(real, {
    construct: (target, args, newTarget) => {
      if (args.length === 0) throw new TypeError(CLOCK);
      return Reflect.construct(target, args, newTarget) as Date;
    },
    apply: refusing(CLOCK),
  });
}
