// What only a disk can show: restarts, crashes, refusals, and that nothing is acknowledged before it is flushed.

import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { open } from "lmdb";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLmdbStorage } from "../../src/apiserver/storage/lmdb.ts";
import type { Storage } from "../../src/apiserver/storage/storage.ts";
import { notRun } from "../not-run.ts";

const root = mkdtempSync(join(tmpdir(), "storage-durability-"));
const writer = join(root, "writer", "storage-writer.js");
const newDirectory = () => mkdtempSync(join(root, "data-"));
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/**
 * The writer as plain JavaScript: Node 20 does not run TypeScript, and a child process has no test runner around it.
 */
beforeAll(async () => {
  const lmdb = pathToFileURL(createRequire(import.meta.url).resolve("lmdb")).href;
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: join(import.meta.dirname, "storage-writer.ts"),
      outDir: join(root, "writer"),
      target: "node20",
      rollupOptions: { output: { paths: { lmdb }, entryFileNames: "storage-writer.js", format: "es" } },
    },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("lmdb storage after a restart", () => {
  it("finds its objects and goes on counting where it stopped", async () => {
    const directory = newDirectory();
    const first = await openLmdbStorage({ directory });
    const kept = await first.create("//nodes//a", configMap("a"));
    const gone = await first.create("//nodes//b", configMap("b"));
    const deleted = await first.delete("//nodes//b", gone.revision);
    await first.close();

    const second = await openLmdbStorage({ directory });
    expect(second.get("//nodes//a")).toEqual(kept);
    expect(second.list({ prefix: "/" }).items).toEqual([kept]);
    expect(second.revision()).toBe(deleted.revision);
    expect((await second.create("//nodes//c", configMap("c"))).revision).toBe(deleted.revision + 1);
    await second.close();
  });

  it("continues a watch from its last revision and sends an older one back to a list", async () => {
    const directory = newDirectory();
    const first = await openLmdbStorage({ directory });
    const { revision } = await first.create("//nodes//a", configMap("a"));
    await first.close();

    const second = await openLmdbStorage({ directory });
    const seen: string[] = [];
    second.watch("//nodes/", revision, ({ key }) => seen.push(key));
    expect(() => second.watch("//nodes/", revision - 1, () => undefined)).toThrow(/too old resource version/);
    await second.create("//nodes//b", configMap("b"));
    expect(seen).toEqual(["//nodes//b"]);
    await second.close();
  });
});

describe("the data directory", () => {
  it("is open to its owner alone, even when it was not before", async () => {
    const directory = join(newDirectory(), "deep", "data");
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    const storage = await openLmdbStorage({ directory });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const file of ["objects.mdb", "objects.mdb-lock", "lock"]) {
      expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    }
    await storage.close();
  });

  it("is refused to a second opener, with the pid of the first, until that one closes", async () => {
    const directory = newDirectory();
    const storage = await openLmdbStorage({ directory });
    await expect(openLmdbStorage({ directory })).rejects.toMatchObject({
      code: "locked",
      detail: { pid: process.pid },
    });
    await storage.close();
    await (await openLmdbStorage({ directory })).close();
  });
});

describe("a database that cannot be trusted", () => {
  it.each([
    ["of a format to come", { format: "2", revision: "5" }, "unsupported"],
    ["without a number for its revision", { format: "1", revision: "five" }, "malformed"],
    ["with an object newer than its revision", { "//nodes//a": '{"metadata":{"resourceVersion":"9"}}' }, "malformed"],
    ["with an object without a revision", { "//nodes//a": '{"metadata":{}}' }, "malformed"],
    ["with half an object", { "//nodes//a": '{"metadata":{' }, "malformed"],
  ])("%s is not opened, and the lock is given back", async (_, rows, code) => {
    const directory = newDirectory();
    const database = open<string, string>({ path: join(directory, "objects.mdb"), noSubdir: true, encoding: "string" });
    for (const [key, value] of Object.entries({ format: "1", revision: "5", ...rows })) await database.put(key, value);
    await database.close();
    for (const _attempt of [1, 2]) await expect(openLmdbStorage({ directory })).rejects.toMatchObject({ code });
  });
});

/** Starts the writer, lets it acknowledge `count` writes and kills it in the middle of the next ones. */
async function crash(directory: string, round: number, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, "crash", directory, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === count) child.kill("SIGKILL");
  }
  await exited;
  expect(child.signalCode).toBe("SIGKILL");
  return lines;
}

describe("lmdb storage after kill -9 in the middle of writes", () => {
  it("opens, holds every acknowledged write whole, and never goes back", async () => {
    const directory = newDirectory();
    let newest = 0;
    for (const [round, count] of [1, 60, 133, 401].entries()) {
      const acknowledged = (await crash(directory, round, count)).map(parseAcknowledgement);
      const storage = await openLmdbStorage({ directory });
      expect(storage.revision()).toBeGreaterThanOrEqual(
        Math.max(newest, ...acknowledged.map(({ revision }) => revision)),
      );
      expectNothingLost(storage, acknowledged);
      expectWholeObjects(storage);
      newest = storage.revision();
      await storage.close();
    }
  });
});

describe("several processes that want the directory of a dead one", () => {
  it("get it one at a time: one wins, the others are refused", async () => {
    const directory = newDirectory();
    await crash(directory, 0, 1);
    const children = Array.from({ length: 4 }, (_, round) =>
      spawn(process.execPath, [writer, "crash", directory, String(round + 1)], { stdio: ["ignore", "pipe", "pipe"] }),
    );
    const won = children.map(async (child) => {
      for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("acked")) return child;
      throw new TypeError("refused");
    });
    const said = children.map(({ stderr }) => text(stderr));
    const winner = await Promise.any(won);
    const refusals = await Promise.all(said.filter((_, n) => children[n] !== winner));
    winner.kill("SIGKILL");
    expect(refusals.map((refusal) => refusal.includes("code: 'locked'"))).toEqual([true, true, true]);
    await Promise.allSettled([...won, ...said]);
  });
});

interface Acknowledged {
  readonly key: string;
  /** A number, or `deleted`. */
  readonly step: string;
  readonly revision: number;
}

function parseAcknowledgement(line: string): Acknowledged {
  const [, key = "", step = "", revision] = line.split(" ");
  return { key, step, revision: Number(revision) };
}

/** The write after the last acknowledged one of a key may have come through as well; every seventh is a deletion. */
function expectNothingLost(storage: Storage, acknowledged: readonly Acknowledged[]): void {
  const last = new Map(acknowledged.map((one) => [one.key, one]));
  for (const { key, step, revision } of last.values()) {
    const mayBeGone = step === "deleted" || Number(step) % 7 === 6;
    const found = storage.get(key)?.revision ?? (mayBeGone ? Number.POSITIVE_INFINITY : 0);
    expect(found, `${key}, last acknowledged: ${step}`).toBeGreaterThanOrEqual(revision);
  }
}

function expectWholeObjects(storage: Storage): void {
  for (const { object, revision } of storage.list({ prefix: "/" }).items) {
    const { data, metadata } = object as typeof object & { data: { step: string; filler: string } };
    expect(data.filler).toBe(`${data.step},`.repeat(2_000));
    expect(metadata.resourceVersion).toBe(String(revision));
  }
}

/** strace sees and spoils the real system calls. Absent, or forbidden to trace: these tests cannot be made. */
const noTrace =
  spawnSync("strace", ["-o", join(root, "probe"), "true"]).status === 0
    ? undefined
    : "strace is not installed, or may not trace";

function traceWriter(directory: string, ...flags: string[]): { stdout: string; trace: string } {
  const output = join(root, "trace");
  const calls = "trace=openat,fdatasync,pwrite64,write";
  const { stdout } = spawnSync(
    "strace",
    ["-f", "-y", "-s", "64", "-o", output, "-e", calls, ...flags, process.execPath, writer, "some", directory],
    { encoding: "utf8", env: { ...process.env, UV_THREADPOOL_SIZE: "1" } },
  );
  return { stdout, trace: readFileSync(output, "utf8") };
}

/**
 * How far the write had come at each acknowledgement: `durable` means pages synced, and then the root page through
 * O_DSYNC.
 */
function progressAtAcknowledgements(trace: string): string[] {
  const root = `pwrite64(${/objects\.mdb", [^)]*O_DSYNC.* = (\d+)</.exec(trace)?.[1] ?? "none"}<`;
  const seen: string[] = [];
  let progress = "nothing";
  let isRootPage = false;
  for (const line of trace.split("\n")) {
    if (line.includes("pwrite64(")) isRootPage = line.includes(root);
    if (/fdatasync.* = 0$/.test(line)) progress = "synced";
    else if (isRootPage && progress === "synced" && /pwrite64.* = 128$/.test(line)) progress = "durable";
    else if (line.includes('"acked')) {
      seen.push(progress);
      progress = "nothing";
    }
  }
  return seen;
}

describe.skipIf(notRun("the flush, seen and spoiled by strace", noTrace))(
  "the flush, seen and spoiled by strace",
  () => {
    it("comes before every acknowledgement: pages synced, then the root page, then the answer", () => {
      expect(progressAtAcknowledgements(traceWriter(newDirectory()).trace)).toEqual(Array(6).fill("durable"));
    });

    it("that fails becomes `io-failed`, shows nothing of the write, and lets the next one through", async () => {
      const directory = newDirectory();
      // The thread that writes flushes once for the new file and once per write: the third write is the fourth flush.
      const { stdout } = traceWriter(directory, "-e", "inject=fdatasync:error=ENOSPC:when=4");
      expect(outcomes(stdout)).toEqual([
        "acked step-1 1 2",
        "acked step-2 2 3",
        "failed step-3 io-failed absent",
        "acked step-4 4 4",
        "acked step-5 5 5",
        "acked step-6 6 6",
      ]);
      const storage = await openLmdbStorage({ directory });
      expect(storage.get("//configmaps/default/step-3")).toBeUndefined();
      expect(storage.list({ prefix: "/" }).items).toHaveLength(5);
      await storage.close();
    });

    it("whose root page cannot be written refuses everything after it and keeps what was acknowledged", async () => {
      // Page writes come in a fixed order, so an undisturbed run tells which of them writes the root page of the third
      // write.
      const writes = traceWriter(newDirectory())
        .trace.split("\n")
        .filter((line) => / pwrite64\(.*objects\.mdb>/.test(line));
      const byWorker = writes.filter((line) => line.split(" ")[0] === writes.at(-1)?.split(" ")[0]);
      const rootPages = byWorker.flatMap((line, index) => (/, 128, \d+/.test(line) ? [index + 1] : []));

      const directory = newDirectory();
      const { stdout } = traceWriter(directory, "-e", `inject=pwrite64:error=EIO:when=${rootPages[3]}`);
      expect(outcomes(stdout)).toEqual([
        "acked step-1 1 2",
        "acked step-2 2 3",
        ...[3, 4, 5, 6].map((step) => `failed step-${step} io-failed absent`),
      ]);
      const storage = await openLmdbStorage({ directory });
      expect(storage.list({ prefix: "/" }).items).toHaveLength(2);
      await storage.close();
    });
  },
);

function outcomes(stdout: string): string[] {
  return stdout.trim().replaceAll("//configmaps/default/", "").split("\n");
}
