import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCrashingFileSystem } from "../../../test/fakes/files.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { acquireLock } from "./lock.ts";
import { type Processes, systemProcesses } from "./processes.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lock-"));
  path = join(directory, "lock");
});
afterEach(() => rm(directory, { recursive: true }));

/** A machine on which exactly these processes live, seen from one of them. */
function processes(pid: number, living: Record<number, string>): Processes {
  return { pid, startOf: async (other) => living[other] };
}

const tryLock = (...args: Parameters<typeof acquireLock>) => acquireLock(...args).catch((fault: unknown) => fault);

describe("a lock", () => {
  it("is held once, names its holder, and is free again after release", async () => {
    const lock = await acquireLock(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(acquireLock(path)).rejects.toMatchObject({
      code: "locked",
      retryable: true,
      detail: { pid: process.pid },
    });
    await lock.release();
    await lock.release();
    await (await acquireLock(path)).release();
    expect(await readdir(directory)).toEqual([]);
  });

  it("where no file can be is no lock that changes hands", async () => {
    const nowhere = join(directory, "none", "lock");
    await expect(acquireLock(nowhere)).rejects.toMatchObject({
      code: "io-failed",
      message: `cannot lock ${nowhere}: ${join(directory, "none")} is not there, or takes no files`,
    });
  });

  it("is not released by one who no longer holds it", async () => {
    const first = await acquireLock(path);
    await rm(path);
    const second = await acquireLock(path);
    await first.release();
    await expect(acquireLock(path)).rejects.toMatchObject({ code: "locked" });
    await second.release();
  });

  const takers: Record<string, [living: Record<number, string>, code: string | undefined]> = {
    "a holder that lives keeps it": [{ 1: "boot/100", 2: "boot/200" }, "locked"],
    "a holder that is gone loses it": [{ 2: "boot/200" }, undefined],
    "a holder whose id now belongs to another process loses it": [{ 1: "boot/150", 2: "boot/200" }, undefined],
    "a holder of the boot before loses it": [{ 1: "other/100", 2: "other/200" }, undefined],
  };
  for (const [sentence, [living, code]] of Object.entries(takers)) {
    it(sentence, async () => {
      await acquireLock(path, { processes: processes(1, { 1: "boot/100" }) });
      const outcome = await tryLock(path, { processes: processes(2, living) });
      if (code !== undefined)
        return expect(outcome).toMatchObject({ code, message: `lock ${path} is held by process 1` });
      expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: 2 });
      expect(await readdir(directory)).toEqual(["lock"]);
    });
  }

  it("of a dead holder goes to exactly one of many takers", async () => {
    for (let round = 0; round < 20; round++) {
      await acquireLock(path, { processes: processes(1, { 1: "boot/100" }) });
      const living = { 2: "boot/200" };
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => tryLock(path, { processes: processes(2, living) })),
      );
      expect(outcomes.filter((outcome) => !isFault(outcome))).toHaveLength(1);
      expect(outcomes.filter((outcome) => isFault(outcome, "locked"))).toHaveLength(7);
      await rm(path);
    }
  });

  it("of a taker that died at any moment of taking over can be taken again", async () => {
    for (let stopAfter = 0; stopAfter < 60; stopAfter++) {
      const disk = createCrashingFileSystem();
      await acquireLock("/lock", { fileSystem: disk, processes: processes(1, { 1: "boot/100" }) });
      disk.crashAfter(disk.operations() + stopAfter);
      const died = await tryLock("/lock", { fileSystem: disk, processes: processes(2, { 2: "boot/200" }) });
      const restarted = disk.afterCrash("all");
      await acquireLock("/lock", { fileSystem: restarted, processes: processes(3, { 3: "boot/300" }) });
      expect(JSON.parse((await restarted.read("/lock")).toString())).toMatchObject({ pid: 3 });
      if (!isFault(died)) return;
    }
    expect.unreachable("taking over has fewer steps than that");
  });

  it("is not taken where the file is somebody else's", async () => {
    await writeFile(path, "precious");
    await expect(acquireLock(path)).rejects.toMatchObject({ code: "locked", retryable: false });
    expect(await readFile(path, "utf8")).toBe("precious");
  });
});

describe("the processes of this machine", () => {
  it("tell ourselves from the dead, and one start from another", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const [mine, theirs] = [await systemProcesses.startOf(process.pid), await systemProcesses.startOf(pid)];
    expect(mine).toEqual(await systemProcesses.startOf(process.pid));
    expect(theirs).toEqual(expect.any(String));
    if (process.platform === "linux") expect(theirs).not.toBe(mine);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await systemProcesses.startOf(pid)).toBeUndefined();
  });

  it("count one that belongs to another user as alive", async () => {
    expect(await systemProcesses.startOf(1)).toEqual(expect.any(String));
  });
});
