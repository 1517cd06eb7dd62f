import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadText, loadTextIfPresent } from "./index.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "load-text-"));
  await writeFile(join(directory, "there"), "grüß\n");
});

describe("a file as text", () => {
  it("is read as UTF-8", async () => {
    expect(await loadText(join(directory, "there"))).toBe("grüß\n");
    expect(await loadTextIfPresent(join(directory, "there"))).toBe("grüß\n");
  });

  it("is named when it is not there, or nothing where that is an answer", async () => {
    const path = join(directory, "gone");
    await expect(loadText(path)).rejects.toMatchObject({ code: "not-found", message: expect.stringContaining(path) });
    expect(await loadTextIfPresent(path)).toBeUndefined();
  });

  it("is not a directory, whoever asks", async () => {
    await expect(loadText(directory)).rejects.toMatchObject({ code: "io-failed" });
    await expect(loadTextIfPresent(directory)).rejects.toMatchObject({ code: "io-failed" });
  });
});
