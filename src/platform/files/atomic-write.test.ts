import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CrashingFileSystem,
  createCrashingFileSystem,
  SURVIVALS,
  type Survival,
} from "../../../test/fakes/files.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, ensureDirectory, removeLeftovers } from "./atomic-write.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

describe("atomicWriteFile on a disk", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "files-"));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);

  it("writes and replaces, with exactly the mode that was asked for, and leaves nothing beside", async () => {
    const before = process.umask(0o077);
    try {
      await atomicWriteFile(at("file"), "old", { mode: 0o644 });
      expect((await stat(at("file"))).mode & 0o777).toBe(0o644);
      await atomicWriteFile(at("file"), Uint8Array.of(1, 2), { mode: 0o600 });
    } finally {
      process.umask(before);
    }
    expect([...(await readFile(at("file")))]).toEqual([1, 2]);
    expect((await stat(at("file"))).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(["file"]);
  });

  it("fails without a trace where it cannot write", async () => {
    await expect(atomicWriteFile(at("no/such/file"), "x", { mode: 0o600 })).rejects.toMatchObject({
      code: "not-found",
    });
    await ensureDirectory(at("taken"), 0o700);
    await writeFile(at("taken/child"), "");
    await expect(atomicWriteFile(at("taken"), "x", { mode: 0o600 })).rejects.toMatchObject({ code: "io-failed" });
    expect((await readdir(directory)).sort()).toEqual(["file", "taken"]);
  });

  it("makes directories with their parents, and leaves existing ones as they are", async () => {
    await ensureDirectory(at("a/b/c"), 0o750);
    expect((await stat(at("a/b/c"))).mode & 0o777).toBe(0o750 & ~process.umask());
    await chmod(at("a/b"), 0o700);
    await ensureDirectory(at("a/b"), 0o755);
    expect((await stat(at("a/b"))).mode & 0o777).toBe(0o700);
    await expect(ensureDirectory(at("file"), 0o755)).rejects.toMatchObject({ code: "io-failed" });
  });

  it("makes no directory where none can be, and says so instead of trying for ever", async () => {
    // As /proc does: whatever is to be made in it is not found, and it is there.
    const proc: FileSystem = {
      ...nodeFileSystem,
      makeDirectory: async (path, mode) => {
        if (path.startsWith(at("proc/"))) throw new Fault("not-found", `cannot create ${path}: ENOENT`);
        await nodeFileSystem.makeDirectory(path, mode);
      },
    };
    for (const path of ["proc/x", "proc/x/y"]) {
      await expect(ensureDirectory(at(path), 0o700, proc)).rejects.toMatchObject({
        code: "bad-config",
        message: `${at("proc/x")} cannot be a directory: ${at("proc")} takes none`,
      });
    }
  });
});

describe("atomicWriteFile and a disk that lies", () => {
  it("refuses to replace the file when what it reads back is not what it wrote", async () => {
    const honest = createCrashingFileSystem();
    await atomicWriteFile("/file", "old", { mode: 0o600, fileSystem: honest });
    const lying: FileSystem = { ...honest, read: async () => Buffer.from("torn") };
    const writing = atomicWriteFile("/file", "new", { mode: 0o600, fileSystem: lying });
    await expect(writing).rejects.toMatchObject({ code: "io-failed" });
    expect([(await honest.read("/file")).toString(), await honest.list("/")]).toEqual(["old", ["file"]]);
  });
});

/** Writes `new` over `old` and loses power after that many operations; true when the write had been acknowledged. */
async function writeAndCrash(stopAfter: number): Promise<{ disk: CrashingFileSystem; acknowledged: boolean }> {
  const disk = createCrashingFileSystem();
  await atomicWriteFile("/pair.pem", "old", { mode: 0o600, fileSystem: disk });
  disk.crashAfter(disk.operations() + stopAfter);
  try {
    await atomicWriteFile("/pair.pem", "new", { mode: 0o600, fileSystem: disk });
    return { disk, acknowledged: true };
  } catch (failure) {
    if (!isFault(failure, "internal")) throw failure;
    return { disk, acknowledged: false };
  }
}

describe("atomicWriteFile and a crash", () => {
  /** Far more than a write has; the loop ends at the first one that is acknowledged. */
  const MAX_OPERATIONS = 50;
  const outcomes = new Map<Survival, string[]>();

  for (const survival of SURVIVALS) {
    it(`after any operation, when the disk keeps ${survival} of unsynced writes: old or new, and whole`, async () => {
      const contents: string[] = [];
      for (let stopAfter = 0; stopAfter < MAX_OPERATIONS; stopAfter++) {
        const { disk, acknowledged } = await writeAndCrash(stopAfter);
        const restarted = disk.afterCrash(survival);
        const content = (await restarted.read("/pair.pem")).toString();
        expect(["old", "new"]).toContain(content);
        expect(restarted.modeOf("/pair.pem")).toBe(0o600);
        contents.push(content);
        if (!acknowledged) continue;
        expect(content).toBe("new");
        break;
      }
      outcomes.set(survival, contents);
    });
  }

  it("leaves the old file before the rename and the new one after it, and both were seen", () => {
    expect(outcomes.get("all")).toEqual(["old", "old", "old", "old", "new", "new"]);
    expect(outcomes.get("nothing")).toEqual(["old", "old", "old", "old", "old", "new"]);
  });

  it("leaves at most a temporary file, which the next holder of the lock removes", async () => {
    const { disk } = await writeAndCrash(2);
    const restarted = disk.afterCrash("all");
    await atomicWriteFile("/other", "x", { mode: 0o600, fileSystem: restarted });
    expect(await restarted.list("/")).toHaveLength(3);
    await removeLeftovers("/pair.pem", restarted);
    expect((await restarted.list("/")).sort()).toEqual(["other", "pair.pem"]);
  });
});
