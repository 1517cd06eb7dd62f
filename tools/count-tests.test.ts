import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOOL = join(ROOT, "tools/count-tests.mjs");
const directory = mkdtempSync(join(tmpdir(), "count-tests-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function report(name: string, content: Record<string, unknown>): string {
  const path = join(directory, name);
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: true };
  writeFileSync(path, JSON.stringify({ ...counts, testResults: [], ...content }));
  return path;
}

function count(commandFailed: string, ...reports: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [TOOL, commandFailed, ...reports], { encoding: "utf8" });
  return { status, last: stdout.trimEnd().split("\n").at(-1), stdout };
}

/** A report of a file with one test that passed and one that was skipped. */
function skipping(file: string, fullName: string): string {
  const assertionResults = [
    { fullName: "runs", status: "passed" },
    { fullName, status: "skipped" },
  ];
  const testResults = [{ name: join(ROOT, file), assertionResults }];
  return report(`${file.replaceAll("/", "-")}.json`, { numPassedTests: 1, numPendingTests: 1, testResults });
}

describe("count-tests", () => {
  const good = report("good", { numPassedTests: 3 });
  const bad = report("bad", { numPassedTests: 1, numFailedTests: 1, success: false });
  const broken = report("broken", { success: false });

  it("adds up reports, and lets be skipped what is on its list", () => {
    const excused = skipping("test/vectors/wycheproof.test.ts", "Wycheproof 3352 cases need the data");
    expect(count("0", good, excused)).toMatchObject({ status: 0, last: "4 passed, 0 failed, 1 skipped" });
  });

  it("fails for a test that was skipped without leave, and names it", () => {
    const { status, last, stdout } = count("0", skipping("test/upstream/tpm-join.test.ts", "a join with a TPM joins"));
    expect({ status, last }).toEqual({ status: 1, last: "1 passed, 0 failed, 1 skipped" });
    expect(stdout).toContain("skipped without leave: test/upstream/tpm-join.test.ts: a join with a TPM joins\n");
  });

  it("does not excuse other tests of a file on its list", () => {
    expect(count("0", skipping("test/upstream/kubectl.test.ts", "kubectl on a real kube-apiserver")).status).toBe(1);
  });

  it("fails for skipped tests that the report does not name", () => {
    expect(count("0", report("nameless", { numPassedTests: 1, numTodoTests: 1 })).status).toBe(1);
  });

  it("fails for a failed test", () =>
    expect(count("0", good, bad)).toMatchObject({ status: 1, last: "4 passed, 1 failed" }));

  it("fails for a run that broke before its first test", () => {
    expect(count("0", good, broken)).toMatchObject({ status: 1, last: "3 passed, 1 failed" });
  });

  it("fails for a report that is missing", () => {
    expect(count("0", good, join(directory, "none"))).toMatchObject({ status: 1, last: "3 passed, 1 failed" });
  });

  it("fails when a command failed, whatever the tests say", () => expect(count("1", good).status).toBe(1));
});
