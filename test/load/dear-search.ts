// A search for dear requests: change one thing of the dearest so far, keep it when the server's longest turn got
// longer. Seeded, so that a run can be repeated.

import { FORMATS, type Gene, KINDS, OPERATIONS, PLAIN, WAYS } from "./dear-bodies.ts";

export interface Found {
  readonly gene: Gene;
  readonly longestMs: number;
}

export interface SearchOptions {
  readonly seed: number;
  readonly evaluations: number;
  /** Undefined when the request would be longer than a body may be. */
  readonly cost: (gene: Gene) => Promise<number | undefined>;
}

/** Climbs from a new place after so many changes that made nothing dearer. */
const MAX_STALE = 5;

/** The dearest of each climb, dearest first. */
export async function search({ seed, evaluations, cost }: SearchOptions): Promise<readonly Found[]> {
  const random = randomFrom(seed);
  const found: Found[] = [];
  let best: Found = { gene: scattered(random), longestMs: -1 };
  let stale = 0;
  for (let done = 0; done < evaluations; done += 1) {
    const gene = best.longestMs < 0 ? best.gene : changed(best.gene, random);
    const longestMs = (await cost(gene)) ?? 0;
    stale = longestMs > best.longestMs ? 0 : stale + 1;
    if (stale === 0) best = { gene, longestMs };
    if (stale < MAX_STALE) continue;
    found.push(best);
    best = { gene: scattered(random), longestMs: -1 };
    stale = 0;
  }
  return [...found, best].sort((one, other) => other.longestMs - one.longestMs);
}

type Random = () => number;

function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

function scattered(random: Random): Gene {
  let gene = PLAIN;
  for (let n = 0; n < 6; n += 1) gene = changed(gene, random);
  return gene;
}

function changed(gene: Gene, random: Random): Gene {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T;
  const changes: readonly (() => Partial<Gene>)[] = [
    () => ({ way: pick(WAYS) }),
    () => ({ format: pick(FORMATS) }),
    () => ({ kind: pick(KINDS) }),
    () => ({ place: Math.floor(random() * 12) }),
    () => ({ count: Math.min(60_000, Math.max(1, Math.round(gene.count * (0.5 + random() * 1.5)))) }),
    () => ({ keyBytes: pick([1, 8, 60, 250]) }),
    () => ({ valueBytes: pick([1, 60, 1_000]) }),
    () => ({ isBad: !gene.isBad }),
    () => ({ isSame: !gene.isSame }),
    () => ({ live: pick([0, 1_000, 4_000, 9_000, 14_000]) }),
    () => ({ operation: pick(OPERATIONS) }),
  ];
  return { ...gene, ...pick(changes)() };
}
