// How many writes a certificate costs, by the server's own count: everything that changed a request or made an Event.

import { startOurs } from "./controllers.mjs";
import { createRequester, join, removeAll } from "./joins.mjs";

/** @param {import("./controllers.mjs").Plane} plane @param {number} count */
export async function countWrites(plane, count) {
  const client = plane.connect();
  const requests = await createRequester();
  const controller = await startOurs(plane, "ours-counted");
  try {
    const before = await writesOf(client);
    await join(
      client,
      requests(count).map((request) => ({ ...request, body: request.body.replaceAll("bench-", "counted-") })),
    );
    const after = await writesOf(client);
    const counts = Object.fromEntries(
      [...after].map(([what, total]) => [what, (total - (before.get(what) ?? 0)) / count]),
    );
    const parts = Object.entries(counts).filter(([, each]) => each > 0.001);
    const words = parts.map(([what, each]) => `${what} ${each.toFixed(2)}`).join("   ");
    console.log(`  ${"writes for a certificate".padEnd(34)} ${words}`);
    return parts
      .filter(([what]) => !what.startsWith("POST certificatesigningrequests"))
      .reduce((sum, [, each]) => sum + each, 0);
  } finally {
    await controller.stop();
    await removeAll(client);
    await client.close();
  }
}

const LINE = /^apiserver_request_total\{(.*)\} (\S+)$/gm;
const COUNTED = ["certificatesigningrequests", "events", "nodeidentities", "configmaps"];

/** @param {import("../apiserver/client.mjs").Client} client */
async function writesOf(client) {
  const text = await client.ask("GET", "/metrics");
  /** @type {Map<string, number>} */
  const totals = new Map();
  for (const [, labels = "", value] of text.matchAll(LINE)) {
    const label = (/** @type {string} */ name) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    if (!COUNTED.includes(label("resource")) || !["POST", "PUT", "PATCH"].includes(label("verb"))) continue;
    const what = [label("verb"), [label("resource"), label("subresource")].filter(Boolean).join("/")].join(" ");
    totals.set(what, (totals.get(what) ?? 0) + Number(value));
  }
  return totals;
}
