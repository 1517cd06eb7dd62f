// A herd: many machines join one embedded cluster at once, round after round, each round with an impostor for every
// node. Nobody gets another's name, nobody is forgotten, and memory does not grow with the rounds.
// COUNTERSIGN_HERD_ROUNDS and COUNTERSIGN_HERD_NODES change the size.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODES } from "../../src/api/meta/index.ts";
import { createInsecureProvider } from "../../src/attestation/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { joinNode, parseDiscoveryMethod } from "../../src/node/index.ts";
import type { Plane } from "../../src/plane/plane.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { startJoinablePlane } from "../builders/joinable-plane.ts";

const ROUNDS = Number(process.env["COUNTERSIGN_HERD_ROUNDS"] ?? "60");
/** Half a minute a round where two cores have six other things to do. */
const LIMIT_MS = 3_600_000;
const NODES_A_ROUND = Number(process.env["COUNTERSIGN_HERD_NODES"] ?? "50");

let directory: string;
let plane: Plane;
let token: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "countersign-herd-"));
  ({ plane, token } = await startJoinablePlane(directory, { ttlMs: 86_400_000 }));
});

afterAll(async () => {
  await plane.close();
  rmSync(directory, { recursive: true, force: true });
});

function joinAs(nodeName: string, machine: string) {
  return joinNode({
    discovery: parseDiscoveryMethod({ address: plane.url, token }),
    nodeName,
    directory: join(directory, "machines", machine),
    provider: createInsecureProvider(),
    registerNode: { addresses: [{ type: "Hostname", address: nodeName }] },
    clock: systemClock,
  });
}

describe("a herd of machines", () => {
  it(
    `joins in ${ROUNDS} rounds of ${NODES_A_ROUND}, and every impostor is denied`,
    async () => {
      const startedMs = Date.now();
      const resident: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const names = Array.from({ length: NODES_A_ROUND }, (_, index) => `node-${round}-${index}`);
        await Promise.all(names.map((name) => joinAs(name, name)));
        const impostors = await Promise.allSettled(names.map((name) => joinAs(name, `impostor-of-${name}`)));
        for (const outcome of impostors) {
          expect(outcome.status === "rejected" && isFault(outcome.reason, "denied")).toBe(true);
        }
        rmSync(join(directory, "machines"), { recursive: true, force: true });
        resident.push(process.memoryUsage.rss() / 1_048_576);
      }
      const { items } = await plane.client.list(NODES);
      expect(items).toHaveLength(ROUNDS * NODES_A_ROUND);
      const seconds = (Date.now() - startedMs) / 1000;
      const joins = ROUNDS * NODES_A_ROUND;
      console.log(
        `${joins} joins and ${joins} denials in ${seconds.toFixed(1)} s, ${((2 * joins) / seconds).toFixed(0)} verdicts/s`,
      );
      console.log(
        `resident memory, first and last round: ${resident.at(0)?.toFixed(0)} and ${resident.at(-1)?.toFixed(0)} MiB`,
      );
    },
    LIMIT_MS,
  );
});
