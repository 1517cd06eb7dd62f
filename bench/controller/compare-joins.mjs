// Four sides do the same joins in turn: a bare client, the same client when it also signs, our controller, and
// kube-controller-manager. The bare ones show what is left to gain: server and nodes take their share of two cores
// whoever decides, and nobody is spared the signature.
import { median } from "../frame/measure.mjs";
import { startManager, startOurs } from "./controllers.mjs";
import { anyCertificate, createRequester, join, joinBare, ownCertificate, removeAll } from "./joins.mjs";
import { withProcessors } from "./processors.mjs";

/** @typedef {import("./controllers.mjs").Plane} Plane */
/** @typedef {"bare" | "signing" | "ours" | "manager"} Side */
/** @typedef {{ readonly joins: number, readonly rounds: number }} Plan */
/** @typedef {{ readonly rate: number, readonly spent: Readonly<Record<string, number>> }} Round */

/**
 * One controller at a time is running. It is given as many joins before as it is measured with: a controller runs for
 * weeks, and what V8 compiles in its first seconds is not what a join costs.
 * @param {Plane} plane
 * @param {string} what
 * @param {Plan} plan
 * @returns {Promise<Record<Side, number>>} joins a second
 */
export async function compareJoins(plane, what, { joins, rounds }) {
  const client = plane.connect();
  const requests = await createRequester();
  /** @type {Record<Side, Round[]>} */
  const seen = { bare: [], signing: [], ours: [], manager: [] };
  /** @param {Side} side @param {Readonly<Record<string, number>>} pids @param {() => Promise<number>} round */
  const measure = async (side, pids, round) => {
    const { result, spent } = await withProcessors({ ...pids, ...plane.pids, nodes: process.pid }, round);
    seen[side].push({ rate: (joins * 1e9) / result, spent });
    await removeAll(client);
  };
  const bare = /** @type {const} */ ([
    ["bare", anyCertificate(plane.pki.ca)],
    ["signing", await ownCertificate(plane.pki.ca)],
  ]);
  const controllers = /** @type {const} */ ([
    ["ours", startOurs],
    ["manager", startManager],
  ]);
  try {
    // The clients are warm before they are measured, as the controllers are.
    for (const [, certificateFor] of bare) {
      await joinBare(client, requests(joins), certificateFor);
      await removeAll(client);
    }
    for (let round = 0; round < rounds; round++) {
      for (const [side, certificateFor] of bare) {
        await measure(side, {}, () => joinBare(client, requests(joins), certificateFor));
      }
      for (const [side, start] of controllers) {
        const controller = await start(plane, `${side}-${round}`);
        await join(client, requests(joins));
        await removeAll(client);
        await measure(side, { controller: Number(controller.child.pid) }, () => join(client, requests(joins)));
        await controller.stop();
      }
    }
  } finally {
    await client.close();
  }
  return report(what, seen, { joins, rounds });
}

/** @param {string} what @param {Record<Side, Round[]>} seen @param {Plan} plan */
function report(what, seen, { joins, rounds }) {
  const sides = /** @type {[Side, Round[]][]} */ (Object.entries(seen));
  const rates = sides.map(([side, all]) => /** @type {const} */ ([side, median(all.map(({ rate }) => rate))]));
  const words = rates.map(([side, rate]) => `${side} ${rate.toFixed(0)}/s`);
  console.log(`  ${what.padEnd(34)} ${words.join("   ")}   (${joins} a round, median of ${rounds})`);
  for (const [side, all] of sides) {
    const parts = Object.keys(all[0]?.spent ?? {}).map((name) => {
      const each = median(all.map(({ spent }) => (spent[name] ?? 0) / joins));
      return `${name} ${each.toFixed(2)}`;
    });
    const label = `${side}, ${totalOf(all, joins).toFixed(2)} ms of a core each`;
    console.log(`    ${label.padEnd(32)} ${parts.join("   ")}`);
  }
  const least = totalOf(seen.signing, joins);
  const most = [totalOf(seen.manager, joins) / least, totalOf(seen.bare, joins) / least];
  const [overManager = 0, overBare = 0] = most;
  console.log(
    `    a controller that did nothing but sign would be at ${overManager.toFixed(2)} and ${overBare.toFixed(2)} here`,
  );
  return /** @type {Record<Side, number>} */ (Object.fromEntries(rates));
}

/** @param {readonly Round[]} rounds @param {number} joins */
function totalOf(rounds, joins) {
  return median(rounds.map(({ spent }) => Object.values(spent).reduce((sum, ms) => sum + ms, 0) / joins));
}
