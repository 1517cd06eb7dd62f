import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const TOOL = fileURLToPath(new URL("./count-tests.mjs", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "count-tests-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function report(name: string, content: Record<string, unknown>): string {
  const path = join(directory, name);
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: true };
  writeFileSync(path, JSON.stringify({ ...counts, ...content }));
  return path;
}

function count(commandFailed: string, ...reports: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [TOOL, commandFailed, ...reports], { encoding: "utf8" });
  return { status, last: stdout.trimEnd().split("\n").at(-1) };
}

describe("count-tests", () => {
  const good = report("good", { numPassedTests: 3 });
  const skipping = report("skipping", { numPassedTests: 1, numPendingTests: 2 });
  const bad = report("bad", { numPassedTests: 1, numFailedTests: 1, success: false });
  const broken = report("broken", { success: false });

  it("adds up reports", () => {
    expect(count("0", good, skipping)).toEqual({ status: 0, last: "4 passed, 0 failed, 2 skipped" });
  });

  it("fails for a failed test", () => expect(count("0", good, bad)).toEqual({ status: 1, last: "4 passed, 1 failed" }));

  it("fails for a run that broke before its first test", () => {
    expect(count("0", good, broken)).toEqual({ status: 1, last: "3 passed, 1 failed" });
  });

  it("fails for a report that is missing", () => {
    expect(count("0", good, join(directory, "none"))).toEqual({ status: 1, last: "3 passed, 1 failed" });
  });

  it("fails when a command failed, whatever the tests say", () => expect(count("1", good).status).toBe(1));
});
