import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLmdbStorage } from "./lmdb.ts";
import { findMissingPage } from "./lmdb-pages.ts";

const PAGE_BYTES = 4_096;
const MAIN_ROOT_AT = 136;
const TRANSACTION_AT = 152;

let folder: string;
let file: Buffer;
let root: number;

/** A tree of several levels, with small values and with big ones. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-pages-"));
  const storage = await openLmdbStorage({ directory: folder });
  const writes = Array.from({ length: 500 }, (_, n) => {
    const data = { a: "x".repeat(n % 50 === 0 ? 20_000 : 500) };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data };
    return storage.create(`//configmaps/default/m${n}`, object);
  });
  await Promise.all(writes);
  await storage.close();
  file = readFileSync(join(folder, "objects.mdb"));
  const [first = 0n, second = 0n] = [0, PAGE_BYTES].map((meta) => file.readBigUInt64LE(meta + TRANSACTION_AT));
  root = Number(file.readBigUInt64LE((first > second ? 0 : PAGE_BYTES) + MAIN_ROOT_AT));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sourceOf = (bytes: Buffer, pages = bytes.length / PAGE_BYTES) => ({
  pages,
  read: (page: number) => bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
});

describe("the pages of a tree", () => {
  it("are all found in a whole file", () => {
    expect(findMissingPage(sourceOf(file), root)).toBeUndefined();
  });

  it("are missed wherever the file ends before the last of them", () => {
    const isWhole = (pages: number) => findMissingPage(sourceOf(file, pages), root) === undefined;
    let needed = file.length / PAGE_BYTES;
    while (isWhole(needed - 1)) needed -= 1; // what comes last may be free
    const cuts = Array.from({ length: 20 }, (_, n) => needed - 1 - n * Math.floor(needed / 20));
    expect(cuts.filter(isWhole)).toEqual([]);
    expect(needed).toBeGreaterThan(100);
  });

  it("are missed when one was overwritten", () => {
    const spoiled = Buffer.from(file).fill(0, root * PAGE_BYTES, (root + 1) * PAGE_BYTES);
    expect(findMissingPage(sourceOf(spoiled), root)).toBe(root);
    expect(findMissingPage(sourceOf(Buffer.from(file).fill(0xff)), root)).toBe(root);
  });

  it("do not go in circles", () => {
    const spoiled = Buffer.from(file);
    const page = sourceOf(spoiled).read(root);
    const node = 24 + page.readUInt16LE(24);
    page.writeUInt16LE(root, node);
    expect(findMissingPage(sourceOf(spoiled), root)).toBe(root);
  });
});
