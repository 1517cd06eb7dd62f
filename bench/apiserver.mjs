// The embedded control plane beside kube-apiserver and etcd: both as processes of their own, on disk with every write
// flushed, over TLS with the same certificates, under the same client and the same load. Neither side has a controller.
import { createDuties } from "./apiserver/duties.mjs";
import { peakMebibytes } from "./apiserver/memory.mjs";
import { createSides } from "./apiserver/sides.mjs";
import { compare, median } from "./frame/measure.mjs";

export const title = "embedded ÷ kube-apiserver + etcd: time to ready, create, get, list, watch, update, memory";

/** More rounds for numbers to publish, one for a quick look: COUNTERSIGN_BENCH_ROUNDS. */
const ROUNDS = Number(process.env["COUNTERSIGN_BENCH_ROUNDS"] ?? "4");
const CREATES = Math.ceil(5_000 / (ROUNDS + 1));
/** What is listed was written in the rounds of `create` and its warm-up: 5,000 objects, or a few more. */
const LISTED = CREATES * (ROUNDS + 1);
const GETS = 1_000;
const LISTS = 2;
const UPDATES = 1_000;
const WATCHERS = 200;
const EVENTS = 50;

/** @typedef {{ readonly embedded: number, readonly upstream: number }} Pair */

export async function run() {
  const sides = await createSides();
  try {
    const ready = await measureStarts(sides);
    const embedded = createDuties(sides.connect("embedded"));
    const upstream = createDuties(sides.connect("upstream"));
    /** @param {string} what @param {number} count @param {(duties: typeof embedded) => Promise<number>} duty */
    const measure = async (what, count, duty) => {
      const rates = await compare(
        { embedded: () => duty(embedded), upstream: () => duty(upstream) },
        { rounds: ROUNDS, count },
      );
      say(what, rates, "/s", `${count} a round`);
      return rates.embedded / rates.upstream;
    };
    const create = await measure("create CSR, 32 in flight", CREATES, (duties) => duties.create(CREATES));
    await measure("get, 32 in flight", GETS, (duties) => duties.get(GETS));
    await measure(`objects listed, ${LISTED} a list`, LISTS * LISTED, (duties) => duties.list(LISTS, LISTED));
    await measure(`events to ${WATCHERS} watchers`, WATCHERS * EVENTS, (duties) => duties.watch(WATCHERS, EVENTS));
    const update = await measure("update, 32 in flight", UPDATES, (duties) => duties.update(UPDATES));
    const memory = measureMemory(sides);
    await Promise.all([embedded.close(), upstream.close()]);
    return [
      { name: "apiserver-start", value: ready.upstream / ready.embedded, goal: 4 },
      { name: "apiserver-create", value: create, goal: 1.5 },
      { name: "apiserver-update", value: update, goal: 1.5 },
      { name: "apiserver-memory", value: memory.upstream / memory.embedded, goal: 4 },
    ];
  } finally {
    await sides.stop();
  }
}

/**
 * Each time on an empty directory, with the keys there already; the last start of each stays.
 * @param {Awaited<ReturnType<typeof createSides>>} sides
 */
async function measureStarts(sides) {
  const starts = Math.max(1, Math.ceil(ROUNDS / 2) + 1);
  /** @type {Record<"embedded" | "upstream", number[]>} */
  const times = { embedded: [], upstream: [] };
  for (let start = 0; start < starts; start++) {
    for (const name of /** @type {const} */ (["embedded", "upstream"])) times[name].push(await sides.start(name));
  }
  const ready = { embedded: median(times.embedded), upstream: median(times.upstream) };
  say("time to ready", ready, " ms", `median of ${starts} starts`);
  return ready;
}

/** @param {Awaited<ReturnType<typeof createSides>>} sides */
function measureMemory(sides) {
  const memory = {
    embedded: peakMebibytes(sides.processes("embedded")),
    upstream: peakMebibytes(sides.processes("upstream")),
  };
  say("peak resident memory", memory, " MiB", "VmHWM over the run, all processes of a side");
  return memory;
}

/** @param {string} what @param {Pair} pair @param {string} unit @param {string} note */
function say(what, { embedded, upstream }, unit, note) {
  const number = (/** @type {number} */ value) => `${value.toFixed(0)}${unit}`.padEnd(12);
  console.log(`  ${what.padEnd(30)} embedded ${number(embedded)} kube-apiserver + etcd ${number(upstream)} (${note})`);
}
