import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLineFile } from "./line-file.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "line-file-"));
});
afterAll(() => rm(dir, { recursive: true }));

describe("a file of lines", () => {
  it("has each line when append returns, and is for its owner only", async () => {
    const path = join(dir, "a");
    const file = openLineFile(path);
    file.append("one");
    file.append("two");
    expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await file.close();
  });

  it("goes on where it was, without the half line that a crash of the machine left", async () => {
    const path = join(dir, "b");
    await writeFile(path, "one\ntwo\nthr");
    const file = openLineFile(path);
    file.append("three");
    await file.close();
    expect(await readFile(path, "utf8")).toBe("one\ntwo\nthree\n");
  });

  it("cannot be where there is no directory", () => {
    expect(() => openLineFile(join(dir, "none", "c"))).toThrow(expect.objectContaining({ code: "io-failed" }));
  });
});
