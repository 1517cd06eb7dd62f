// Our controller beside kube-controller-manager's approving and signing loops: the same server, the same RSA-2048 CA,
// the same thousand joins, alternating rounds in one run. And beside a bare client, which does the least that any
// controller must.

import { compareJoins } from "./controller/compare-joins.mjs";
import { fillInventory, installInventory } from "./controller/inventory.mjs";
import { measureMemory } from "./controller/memory.mjs";
import { startPlane } from "./controller/plane.mjs";
import { measureSigning } from "./controller/signing.mjs";
import { countWrites } from "./controller/writes.mjs";

export const title = "ours ÷ kube-controller-manager: joins a second; ÷ a bare client; ÷ Go's crypto/x509; memory";

const JOINS = Number(process.env["COUNTERSIGN_BENCH_JOINS"] ?? "1000");
const PLAN = { joins: JOINS, rounds: Number(process.env["COUNTERSIGN_BENCH_ROUNDS"] ?? "3") };
/** Machines and Nodes in the cache of the second run; 0 leaves it out. */
const INVENTORY = Number(process.env["COUNTERSIGN_BENCH_INVENTORY"] ?? "10000");
const MACHINES = Number(process.env["COUNTERSIGN_BENCH_MACHINES"] ?? "100000");

export async function run() {
  const plane = await startPlane();
  try {
    await installInventory(plane);
    const empty = await compareJoins(plane, "joins", PLAN);
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
  return compareJoins(plane, `joins, ${INVENTORY} Machines and Nodes`, PLAN);
}
