// `countersign up` is killed without warning, again and again, while clients write to it. What was answered is there
// when it comes back, whole; what was not answered is there whole or not at all; resourceVersions never go back.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS } from "../../src/api/meta/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { type CrashWriter, createCrashWriter } from "./crash-writer.ts";
import { type Run, startProgram } from "./program.ts";

const WRITERS = 8;
/** Long enough for some hundred writes, so that the moment falls anywhere in a batch. */
const LONGEST_LOAD_MS = 500;
/** About as long as a start takes: every third round dies in the middle of one as well. */
const LONGEST_START_MS = 600;

export function describeCrashes(rounds: number): void {
  describe(`countersign up, killed ${rounds} times under load`, () => {
    const directory = mkdtempSync(join(tmpdir(), "countersign-crash-"));
    const writers = Array.from({ length: WRITERS }, (_, n) => createCrashWriter(`writer-${n}`));
    const moments: number[] = [];
    const random = (limitMs: number) => {
      const ms = Math.random() * limitMs;
      moments.push(Math.round(ms));
      return ms;
    };
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    it("keeps every write that it answered, and no half of any other", async () => {
      let newest = 0;
      for (let round = 0; round <= rounds; round += 1) {
        if (round % 3 === 2) await dieWhileStarting(directory, random(LONGEST_START_MS));
        const afterMs = round < rounds ? random(LONGEST_LOAD_MS) : undefined;
        const title = `round ${round}; moments so far, in ms: ${moments.join(", ")}`;
        newest = await runRound({ directory, writers, newest, afterMs, title });
      }
      const writes = Math.max(...writers.map((writer) => writer.newest()));
      console.log(`${rounds} kills, last resourceVersion ${writes}`);
    });
  });
}

interface Round {
  readonly directory: string;
  readonly writers: readonly CrashWriter[];
  readonly newest: number;
  /** When it is killed under load; undefined: it only shows what it has. */
  readonly afterMs: number | undefined;
  /** Enough to try the same again. */
  readonly title: string;
}

async function runRound({ directory, writers, newest, afterMs, title }: Round): Promise<number> {
  const { run, client } = await start(directory);
  try {
    const version = await inspect(client, writers, newest);
    if (afterMs !== undefined) await writeUntilKilled({ run, client, writers, afterMs });
    return version;
  } catch (failure) {
    throw new Error(`${title}\n${run.text()}`, { cause: failure });
  } finally {
    await end(run);
    await client.close();
  }
}

function launch(directory: string): Run {
  return startProgram(["up", "--port", "0", "--data-dir", join(directory, "cluster")]);
}

async function start(directory: string): Promise<{ run: Run; client: KubeClient }> {
  const run = launch(directory);
  await run.until("look around");
  return { run, client: await loadKubeconfigClient(join(directory, "cluster", "admin.kubeconfig")) };
}

async function end(run: Run): Promise<void> {
  run.child.kill("SIGKILL");
  await run.exit;
}

async function dieWhileStarting(directory: string, afterMs: number): Promise<void> {
  const run = launch(directory);
  await sleep(afterMs);
  await end(run);
}

interface Load {
  readonly run: Run;
  readonly client: KubeClient;
  readonly writers: readonly CrashWriter[];
  readonly afterMs: number;
}

async function writeUntilKilled({ run, client, writers, afterMs }: Load): Promise<void> {
  const writing = Promise.all(writers.map((writer) => writer.write(client)));
  await Promise.race([writing, sleep(afterMs)]);
  expect(run.child.exitCode, "it runs until it is killed").toBe(null);
  await end(run);
  await writing;
}

/** Answers the newest resourceVersion that anybody has seen. */
async function inspect(client: KubeClient, writers: readonly CrashWriter[], newest: number): Promise<number> {
  const { items, metadata } = await client.list<ConfigMap>(CONFIG_MAPS, { namespace: "default" });
  const version = Number(metadata.resourceVersion);
  expect(version).toBeGreaterThanOrEqual(Math.max(newest, ...writers.map((writer) => writer.newest())));
  for (const item of items) expect(Number(item.metadata.resourceVersion)).toBeLessThanOrEqual(version);
  for (const writer of writers) writer.judge(items.find((item) => item.metadata.name === writer.name));
  return version;
}
