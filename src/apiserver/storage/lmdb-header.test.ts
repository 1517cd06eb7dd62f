import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLmdbStorage } from "./lmdb.ts";
import { checkDatabaseFile } from "./lmdb-header.ts";

let folder: string;
let whole: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-header-"));
  const storage = await openLmdbStorage({ directory: folder });
  for (let n = 0; n < 20; n++) {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `m${n}` }, data: { a: "x".repeat(3_000) } };
    await storage.create(`//configmaps/default/m${n}`, object);
  }
  await storage.close();
  whole = join(folder, "objects.mdb");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function spoiled(spoil: (path: string) => void): string {
  const path = join(folder, "spoiled.mdb");
  copyFileSync(whole, path);
  spoil(path);
  return path;
}

describe("a database file", () => {
  it("is fine when it is whole, empty or missing", () => {
    checkDatabaseFile(whole);
    checkDatabaseFile(spoiled((path) => truncateSync(path, 0)));
    checkDatabaseFile(join(folder, "none.mdb"));
  });

  it.each<[string, (path: string) => void]>([
    ["shorter than its header", (path) => truncateSync(path, 100)],
    ["cut off behind its header", (path) => truncateSync(path, 2 * 4_096)],
    ["cut off by its last page", (path) => truncateSync(path, statSync(path).size - 4_096)],
    ["something else", (path) => writeFileSync(path, Buffer.alloc(65_536, "text"))],
    ["overwritten at its beginning", (path) => writeFileSync(path, readFileSync(path).fill(0, 0, 64))],
  ])("is refused in words when it is %s", (_what, spoil) => {
    const damaged = expect.objectContaining({ code: "malformed", message: expect.stringContaining("is damaged") });
    expect(() => checkDatabaseFile(spoiled(spoil))).toThrow(damaged);
  });
});
