// One setting scales every wait: a limit that is a bare number would stay short on a slow machine.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { PATIENCE, patient } from "./patience.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

function testFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(ROOT, folder, name))
    .filter((path) => (folder === "test" ? path.endsWith(".ts") : path.endsWith(".test.ts")));
}

/** The limit of a test, of a hook, of a poll or of a child process. Soaks have their own. */
const BARE_LIMIT = /^(?: {2})*\}, \d[\d_]{3,}\);$|[{,] ?timeout: \d/;

it("no test waits for a bare number of milliseconds", () => {
  const bare = [...testFiles("src"), ...testFiles("test")]
    .filter((path) => !path.includes("/test/long/"))
    .flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line, at) => (BARE_LIMIT.test(line) ? [`${relative(ROOT, path)}:${at + 1}: ${line.trim()}`] : [])),
    );
  expect(bare).toEqual([]);
});

it("patience multiplies, and is one unless somebody says otherwise", () => {
  expect(patient(1_000)).toBe(1_000 * PATIENCE);
  if (process.env["COUNTERSIGN_TEST_PATIENCE"] === undefined) expect(PATIENCE).toBe(1);
});
