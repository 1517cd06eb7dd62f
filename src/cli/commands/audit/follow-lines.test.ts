import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { followLines, type LineFollower } from "./follow-lines.ts";

let directory: string;
let path: string;
const open: LineFollower[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "countersign-follow-"));
  path = join(directory, "audit.log");
});
afterEach(async () => {
  for (const follower of open.splice(0)) await follower.close();
  await rm(directory, { recursive: true });
});

const text = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

async function follow(content: string, count = 2): Promise<LineFollower> {
  await writeFile(path, content);
  const follower = await followLines(path, count);
  open.push(follower);
  return follower;
}

describe("lines of a file that grows", () => {
  it.each<[string, string, readonly string[]]>([
    ["the last ones", text("a", "b", "c"), ["b", "c"]],
    ["all of a short file", text("a"), ["a"]],
    ["none of an empty one", "", []],
    ["whole ones, where the last is not finished", `${text("a", "b", "c")}d`, ["b", "c"]],
    ["the last of blocks", text("x".repeat(200_000), "y".repeat(70_000)), ["x".repeat(200_000), "y".repeat(70_000)]],
    ["characters of several octets across blocks", text("é".repeat(40_000), "ü"), ["é".repeat(40_000), "ü"]],
  ])("begin with %s", async (_, content, lines) => {
    expect(await (await follow(content)).look()).toEqual(lines);
  });

  it("come once each, and a line that is written in two pieces comes whole", async () => {
    const follower = await follow(text("a"));
    expect(await follower.look()).toEqual(["a"]);
    expect(await follower.look()).toEqual([]);
    await appendFile(path, "b\nhal");
    expect(await follower.look()).toEqual(["b"]);
    await appendFile(path, "f\n");
    expect(await follower.look()).toEqual(["half"]);
  });

  it("go on in the new file after a rotation, without those of the old one's end being lost", async () => {
    const follower = await follow(text("a"));
    await follower.look();
    await appendFile(path, text("b"));
    await rename(path, `${path}.1`);
    await appendFile(`${path}.1`, text("c"));
    expect(await follower.look()).toEqual(["b", "c"]);
    await appendFile(`${path}.1`, text("d"));
    await writeFile(path, text("e"));
    expect(await follower.look()).toEqual(["d", "e"]);
  });

  it("begin anew after a truncation, also when more was written since than was there before", async () => {
    const follower = await follow(text("a", "b"));
    await follower.look();
    await truncate(path);
    expect(await follower.look()).toEqual([]);
    await appendFile(path, text("c"));
    expect(await follower.look()).toEqual(["c"]);
    await truncate(path);
    await appendFile(path, text("d", "e", "f"));
    expect(await follower.look()).toEqual(["d", "e", "f"]);
  });

  it("are refused where there is no file, or no line has an end", async () => {
    await expect(followLines(join(directory, "none"), 2)).rejects.toMatchObject({ code: "io-failed" });
    await expect(followLines(directory, 2)).rejects.toMatchObject({ code: "io-failed" });
    await expect((await follow("x".repeat(2_000_000))).look()).rejects.toMatchObject({ code: "limit-exceeded" });
  });
});
