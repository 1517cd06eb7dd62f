// The memory of the controller with a hundred thousand Machines in its cache. The Machines come from a stand-in for the
// one list: making them on a real server would take longer than all the rest. Everything else is the real server's
// answer.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { peakMebibytes } from "../apiserver/memory.mjs";
import { startOurs } from "./controllers.mjs";
import { machine } from "./inventory.mjs";

const MACHINES_PATH = /^\/apis\/cluster\.x-k8s\.io\/v1beta2\/machines\?/;

/** @param {import("./controllers.mjs").Plane} plane @param {number} count */
export async function measureMemory(plane, count) {
  const server = startStandIn(plane, count);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const kubeconfig = plane.pki.writeKubeconfig(`https://127.0.0.1:${port}`);
  const controller = await startOurs({ ...plane, kubeconfig }, "ours-memory");
  try {
    await untilServed(server);
    // What the first list left behind is collected while nothing happens.
    await sleep(5_000);
    const megabytes = peakMebibytes([Number(controller.child.pid)]);
    console.log(`  ${"memory".padEnd(34)} ${megabytes.toFixed(0)} MiB at its peak, ${count} Machines in cache`);
    return megabytes;
  } finally {
    await controller.stop();
    server.closeAllConnections();
    server.close();
    plane.pki.writeKubeconfig(plane.url);
  }
}

/** @param {import("node:https").Server & { isServed?: boolean }} server */
async function untilServed(server) {
  while (server.isServed !== true) await sleep(50);
}

/** @param {import("./controllers.mjs").Plane} plane @param {number} count */
function startStandIn(plane, count) {
  const { certPem, keyPem } = plane.pki.admin;
  const cert = readFileSync(plane.pki.file("server.crt"));
  const key = readFileSync(plane.pki.file("server.key"));
  /** @type {import("node:https").Server & { isServed?: boolean }} */
  const server = createServer({ cert, key }, (incoming, response) => {
    const url = incoming.url ?? "/";
    if (MACHINES_PATH.test(url)) return answerMachines(server, new URL(url, plane.url), response, count);
    const options = {
      method: incoming.method,
      headers: incoming.headers,
      ca: plane.pki.ca.certPem,
      cert: certPem,
      key: keyPem,
    };
    const outgoing = request(new URL(url, plane.url), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return server;
}

/**
 * @param {{ isServed?: boolean }} server @param {URL} url @param {import("node:http").ServerResponse} response
 * @param {number} count
 */
function answerMachines(server, url, response, count) {
  const query = url.searchParams;
  if (query.has("sendInitialEvents")) {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", reason: "BadRequest", code: 400 }));
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  if (query.has("watch")) return response.flushHeaders();
  const from = Number(query.get("continue") ?? "0");
  const to = Math.min(count, from + Number(query.get("limit") ?? count));
  const items = Array.from({ length: to - from }, (_, i) => {
    const object = machine(from + i);
    return {
      ...object,
      metadata: {
        ...object.metadata,
        uid: `uid-${from + i}`,
        resourceVersion: "1",
        managedFields: [{ manager: "x", fieldsV1: { f: "x".repeat(1_000) } }],
      },
    };
  });
  if (to === count) server.isServed = true;
  const metadata = { resourceVersion: "1", ...(to === count ? {} : { continue: String(to) }) };
  response.end(JSON.stringify({ kind: "MachineList", apiVersion: "cluster.x-k8s.io/v1beta2", metadata, items }));
}
