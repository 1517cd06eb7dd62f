// The pair that a manager holds: taken from the disk whenever that has a better one, judged by the server's clock;
// listeners are told of changes. Nothing is requested here. Where the TPM seals keys, a key is opened when its pair is
// taken.

import { type Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import type { CertificatePair, PairCertificate, StoredPair } from "../../../platform/pair/index.ts";
import { type Lifetime, usefulLife } from "../plan.ts";
import { commonNameOf } from "../template.ts";
import type { ManagerOptions } from "./options.ts";

/** A request's time comes in whole seconds and its answer takes a while; less than this is no skew. */
const SKEW_NOISE_MS = 5_000;

/** When a pair of unknown age was stored: its life then counts from notBefore. */
const UNKNOWN_MS = 0;

interface Held {
  readonly pair: CertificatePair;
  /** By the server's clock, as the certificate's own times. */
  readonly storedMs: number;
}

/** On the disk. */
interface Found {
  readonly pair: StoredPair;
  readonly storedMs: number;
}

export interface Holding {
  /** Our clock, set by the server's as far as that is known. */
  readonly clock: Clock;
  pair(): CertificatePair | undefined;
  /** The pair, unless it has expired. Whether it is valid yet is the server's business: our clock may be behind. */
  valid(): CertificatePair | undefined;
  life(pair: PairCertificate): Lifetime;
  /** Looks at the disk. Answers why a better pair was not taken: its key does not open, for now or for ever. */
  adopt(): Promise<Fault | undefined>;
  use(pair: CertificatePair, storedMs: number): void;
  noteServerTime(serverMs: number): void;
  onChange(listener: (pair: CertificatePair) => void): () => void;
}

export function createHolding(options: ManagerOptions): Holding {
  const { clock, store, nodeName, onEvent } = options;
  const listeners = new Set<(pair: CertificatePair) => void>();
  let held: Held | undefined;
  let skewMs = 0;
  let lookedMs = clock.now();
  const serverClock: Clock = { now: () => clock.now() + skewMs, sleep: clock.sleep };
  const isValid = (pair: PairCertificate) => serverClock.now() < pair.notAfterMs;

  function use(pair: CertificatePair, storedMs: number): void {
    const previous = held?.pair;
    held = { pair, storedMs };
    onEvent?.({ kind: "using", pair, previous });
    for (const listener of [...listeners]) listener(pair);
  }

  function setSkew(nextMs: number): void {
    if (Math.abs(nextMs - skewMs) >= SKEW_NOISE_MS) onEvent?.({ kind: "skew", skewMs: nextMs });
    skewMs = nextMs;
  }

  /** A clock that goes backwards was set; the server's has continued. */
  function noticeJump(): void {
    const nowMs = clock.now();
    if (nowMs < lookedMs - SKEW_NOISE_MS) setSkew(skewMs + lookedMs - nowMs);
    lookedMs = nowMs;
  }

  async function adopt(): Promise<Fault | undefined> {
    noticeJump();
    const found = lookAt(store);
    const isOurs = found?.pair.commonName === commonNameOf(nodeName);
    const isNews = found?.pair.certificatePem !== held?.pair.certificatePem;
    // A restored backup does not replace a pair that still works.
    const isBetter = held === undefined || !isValid(held.pair) || (found !== undefined && isValid(found.pair));
    if (found !== undefined && isOurs && isNews && isBetter) return await take(found);
    if (held === undefined && options.initial !== undefined) use(options.initial.pair, UNKNOWN_MS);
    return undefined;
  }

  async function take({ pair, storedMs }: Found): Promise<Fault | undefined> {
    try {
      use(await store.unseal(pair), storedMs + skewMs);
      return undefined;
    } catch (failure) {
      if (!isFault(failure) || failure.code === "aborted") throw failure;
      return isValid(pair) ? failure : undefined; // the key of an expired pair is not needed
    }
  }

  return {
    clock: serverClock,
    pair: () => held?.pair,
    valid: () => (held !== undefined && isValid(held.pair) ? held.pair : undefined),
    life: (pair) => usefulLife(pair, held?.pair === pair ? held.storedMs : serverClock.now()),
    adopt,
    use,
    noteServerTime: (serverMs) => {
      const seenMs = serverMs - clock.now();
      setSkew(Math.abs(seenMs) < SKEW_NOISE_MS ? 0 : seenMs);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** While the disk cannot be read, the pair in memory stays. */
function lookAt(store: ManagerOptions["store"]): Found | undefined {
  try {
    const found = store.look();
    return found.kind === "present" ? found : undefined;
  } catch (error) {
    if (isFault(error, "io-failed")) return undefined;
    throw error;
  }
}
