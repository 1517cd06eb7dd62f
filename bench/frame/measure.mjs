// Measuring two or more ways of one duty fairly: rounds are interleaved, so that a slow minute of the machine hits all
// of them, and the median round counts. The numbers are operations a second, of the clock or of one core's time.

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Runs each way once to warm up, then `rounds` times in turn. A way does its duty `count` times and answers the elapsed
 * nanoseconds.
 * @template {string} Name
 * @param {Readonly<Record<Name, () => Promise<number>>>} ways
 * @param {{ readonly rounds: number, readonly count: number }} plan
 * @returns {Promise<Record<Name, number>>}
 */
export async function compare(ways, { rounds, count }) {
  /** @type {Map<Name, number[]>} */
  const rates = new Map();
  const names = /** @type {Name[]} */ (Object.keys(ways));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const rate = (count * 1e9) / (await ways[name]());
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
    }
  }
  const medians = names.map((name) => /** @type {const} */ ([name, median(rates.get(name) ?? [])]));
  return /** @type {Record<Name, number>} */ (Object.fromEntries(medians));
}

/** @param {() => void | Promise<void>} work */
export async function elapsedNs(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start);
}

/**
 * The time that this process was on a core, its compiler's and collector's threads included: what a duty costs, whoever
 * else uses the machine meanwhile.
 * @param {() => void} work
 */
export async function processorNs(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1e3;
}
