// A process that rotates a certificate directory is killed with SIGKILL again and again, at any moment. Whoever reads
// meanwhile always finds a whole pair, and the lock of the dead goes to the next.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificateStore } from "../../src/node/certificates/store/store.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { waitForLock } from "../../src/platform/files/index.ts";

const ROUNDS = 12;
const LONGEST_MS = 120;

describe(`a certificate directory whose writers are killed ${ROUNDS} times`, () => {
  const root = mkdtempSync(join(tmpdir(), "store-kill-"));
  const directory = join(root, "pki");
  const program = join(root, "store-writer.mjs");

  beforeAll(async () => {
    const entryPoints = [join(import.meta.dirname, "store-writer.ts")];
    await build({ entryPoints, outfile: program, bundle: true, platform: "node", format: "esm" });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it("never shows a reader anything but a whole pair, and can always be taken up again", async () => {
    const store = createCertificateStore({ directory, clock: systemClock });
    const seen = new Set<string>();
    const moments: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise((resolve) => child.once("close", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      // However slow the machine is, each round has something to lose.
      const before = seen.size;
      while (seen.size === before) await readUntil(store, performance.now() + 1, seen);
      const moment = Math.random() * LONGEST_MS;
      moments.push(Math.round(moment));
      const reading = readUntil(store, performance.now() + moment, seen);
      await sleep(moment);
      child.kill("SIGKILL");
      await ended;
      await reading;
      await takeUp(store, `moments so far, in ms: ${moments.join(", ")}`);
    }
  });

  async function readUntil(store: ReturnType<typeof createCertificateStore>, endMs: number, seen: Set<string>) {
    for (; performance.now() < endMs; await sleep(1)) {
      const found = store.look();
      if (found.kind === "damaged") throw new Error(found.why);
      if (found.kind === "absent" && seen.size > 0) throw new Error("there is no current pair");
      if (found.kind === "present") seen.add(String(found.pair.keyPem));
    }
  }

  async function takeUp(store: ReturnType<typeof createCertificateStore>, title: string): Promise<void> {
    const lock = await waitForLock(store.layout.lockPath, { clock: systemClock, limitMs: 0 });
    await store.repair("system:node:worker-1");
    await lock.release();
    const names = readdirSync(directory);
    expect(
      names.filter((name) => /^\.|updated|damaged|lock/.test(name)),
      title,
    ).toEqual([]);
  }
});
