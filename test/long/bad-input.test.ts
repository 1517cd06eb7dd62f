// A storm of nonsense and a crowd of slow senders against `countersign up`: it answers everybody else meanwhile, lets
// go of who does not finish a request, and needs no more memory afterwards than before.

import { readFileSync } from "node:fs";
import { connect, type TLSSocket } from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { type ApiEndpoint, callApi } from "../fakes/api-client.ts";
import { badRequest, VICTIM } from "../fuzz/bad-requests.ts";
import { type ControlPlane, startEmbedded, waitFor } from "../upstream/harness/index.ts";

const WARM_UP = 4_000;
const STORM = 12_000;
/** What the heap may swing between two collections. A leak of 10 KiB a request would be 117 MiB. */
const SWING_MIB = 60;
const SLOW = 300;
/** The limit for headers is 32 s, looked at every 30 s. */
const PATIENCE_MS = 75_000;

let plane: ControlPlane;
let server: ApiEndpoint;

beforeAll(async () => {
  plane = await startEmbedded();
  const { certPem, keyPem } = aClientCertificate(plane, { user: "storm", groups: ["system:masters"] });
  server = { port: plane.port, caPem: plane.caPem, adminCertPem: certPem, adminKeyPem: keyPem };
  const victim = { metadata: { name: "victim" }, data: { a: "b" } };
  await callApi(server, { method: "POST", path: VICTIM.replace("/victim", ""), body: victim });
});
afterAll(() => plane?.stop());

function residentMib(): number {
  const status = readFileSync(`/proc/${plane.serverPid()}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

async function storm(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(badRequest, async (sent) => {
    expect((await callApi(server, sent)).status).toBeLessThan(500);
  });
  await fc.assert(property, { numRuns });
}

function sendSlowly(): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: plane.port, ca: plane.caPem }, () => {
      socket.write("POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: x\r\nX-Slow: ");
      resolve(socket);
    });
    socket.on("error", reject);
  });
}

describe("the embedded server under bad input", () => {
  it(`needs no more memory after ${STORM} bad requests`, async () => {
    await storm(WARM_UP);
    const before = residentMib();
    await storm(STORM);
    const after = residentMib();
    console.log(
      `resident memory: ${before.toFixed(0)} MiB after ${WARM_UP} bad requests, ${after.toFixed(0)} MiB after ${STORM} more`,
    );
    expect(after - before).toBeLessThan(SWING_MIB);
  });

  it(`lets go of ${SLOW} clients that send a byte now and then, and answers the others meanwhile`, async () => {
    const sockets = await Promise.all(Array.from({ length: SLOW }, sendSlowly));
    const open = new Set(sockets);
    for (const socket of sockets) socket.on("error", () => undefined).on("close", () => open.delete(socket));
    const drip = setInterval(() => {
      for (const socket of open) socket.write("a");
    }, 1_000);
    try {
      await waitFor({
        what: "every slow client to be let go",
        limitMs: PATIENCE_MS,
        everyMs: 500,
        probe: async () => {
          expect((await callApi(server, { path: VICTIM })).status).toBe(200);
          return open.size === 0 ? true : undefined;
        },
      });
    } finally {
      clearInterval(drip);
      for (const socket of open) socket.destroy();
    }
  });
});
