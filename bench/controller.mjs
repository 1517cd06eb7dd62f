// Our controller beside kube-controller-manager's approving and signing loops: the same server, the same RSA-2048 CA, the same
// thousand joins, alternating rounds in one run. And beside a bare client, which does the least that any controller must.

import { startManager, startOurs } from "./controller/controllers.mjs";
import { fillInventory, installInventory } from "./controller/inventory.mjs";
import { anyCertificate, createRequester, join, joinBare, removeAll } from "./controller/joins.mjs";
import { measureMemory } from "./controller/memory.mjs";
import { startPlane } from "./controller/plane.mjs";
import { measureSigning } from "./controller/signing.mjs";
import { countWrites } from "./controller/writes.mjs";
import { median } from "./frame/measure.mjs";

export const title = "ours ÷ kube-controller-manager: joins a second; ÷ a bare client; ÷ Go's crypto/x509; memory";

const JOINS = Number(process.env["COUNTERSIGN_BENCH_JOINS"] ?? "1000");
const ROUNDS = Number(process.env["COUNTERSIGN_BENCH_ROUNDS"] ?? "3");
/** Machines and Nodes in the cache of the second run; 0 leaves it out. */
const INVENTORY = Number(process.env["COUNTERSIGN_BENCH_INVENTORY"] ?? "10000");
const MACHINES = Number(process.env["COUNTERSIGN_BENCH_MACHINES"] ?? "100000");

export async function run() {
  const plane = await startPlane();
  try {
    await installInventory(plane);
    const empty = await compareJoins(plane, "joins");
    const writes = await countWrites(plane, JOINS);
    const filled = INVENTORY === 0 ? undefined : await compareFilled(plane);
    const sign = await measureSigning();
    const megabytes = MACHINES === 0 ? undefined : await measureMemory(plane, MACHINES);
    return [
      { name: "controller-joins", value: empty.ours / empty.manager, goal: 1.8 },
      { name: "controller-limit", value: empty.ours / empty.bare, goal: 0.9 },
      ...(filled === undefined
        ? []
        : [
            { name: "controller-joins-inventory", value: filled.ours / filled.manager, goal: 1.8 },
            { name: "controller-limit-inventory", value: filled.ours / filled.bare, goal: 0.9 },
          ]),
      // Two PUTs are what it takes; more would show as less than one.
      { name: "controller-writes", value: 2 / writes, goal: 0.99 },
      { name: "controller-sign", value: sign, goal: 1.5 },
      ...(megabytes === undefined ? [] : [{ name: "controller-memory", value: 512 / megabytes, goal: 1 }]),
    ];
  } finally {
    await plane.stop();
  }
}

/** @param {import("./controller/controllers.mjs").Plane} plane */
async function compareFilled(plane) {
  await fillInventory(plane, INVENTORY);
  return compareJoins(plane, `joins, ${INVENTORY} Machines and Nodes`);
}

/**
 * One controller at a time is running. It is given as many joins before as it is measured with: a controller runs for weeks,
 * and what V8 compiles in its first seconds is not what a join costs.
 * @param {import("./controller/controllers.mjs").Plane} plane
 * @param {string} what
 */
async function compareJoins(plane, what) {
  const client = plane.connect();
  const requests = await createRequester();
  const certificate = await anyCertificate(plane.pki.ca);
  /** @type {Record<"ours" | "manager" | "bare", number[]>} */
  const rates = { ours: [], manager: [], bare: [] };
  /** @param {"ours" | "manager" | "bare"} name @param {() => Promise<number>} round */
  const measure = async (name, round) => {
    rates[name].push((JOINS * 1e9) / (await round()));
    await removeAll(client);
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await measure("bare", () => joinBare(client, requests(JOINS), certificate));
      for (const [name, start] of /** @type {const} */ ([
        ["ours", startOurs],
        ["manager", startManager],
      ])) {
        const controller = await start(plane, `${name}-${round}`);
        await join(client, requests(JOINS));
        await removeAll(client);
        await measure(name, () => join(client, requests(JOINS)));
        await controller.stop();
      }
    }
  } finally {
    await client.close();
  }
  const medians = { ours: median(rates.ours), manager: median(rates.manager), bare: median(rates.bare) };
  const parts = Object.entries(medians).map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`);
  console.log(`  ${what.padEnd(34)} ${parts.join("   ")}   (${JOINS} a round, median of ${ROUNDS})`);
  return medians;
}
