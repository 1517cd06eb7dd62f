// Adds up the reports of several test runs and prints one closing line. A run that left no report counts as a failure,
// so that a crash before the first test cannot look like success; so does a test that was skipped without leave.
// Usage: node tools/count-tests.mjs <0 or 1: did a command fail> REPORT...

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * What may be skipped on some machines, and why; everything else runs, or the count fails. Each says so when skipped.
 * @type {readonly { file: string, begins: string, why: string }[]}
 */
const MAY_BE_SKIPPED = [
  ...["jose", "wycheproof", "x509-limbo"].map((name) => ({
    file: `test/vectors/${name}.test.ts`,
    begins: "",
    why: "other people's data is not part of the repository",
  })),
  { file: "test/upstream/kubectl.test.ts", begins: "kubectl undefined", why: "a second kubectl is what people have" },
  { file: "test/deploy/systemd.test.ts", begins: "", why: "systemd's own check needs systemd" },
  { file: "test/contract/storage-durability.test.ts", begins: "the flush, seen", why: "containers may forbid tracing" },
  { file: "test/journeys/node-disk.test.ts", begins: "", why: "only root mounts disks" },
];

/** @typedef {{ fullName: string, status: string }} Test */
/** @typedef {{ name: string, assertionResults: Test[] }} TestFile */

/** @param {readonly TestFile[]} files */
function skippedTests(files) {
  return files.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => ({ file: relative(ROOT, name), fullName: fullName.trim() })),
  );
}

/** @param {{ file: string, fullName: string }} test */
const hasLeave = ({ file, fullName }) =>
  MAY_BE_SKIPPED.some((allowed) => allowed.file === file && fullName.startsWith(allowed.begins));

const [commandFailed, ...reports] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0, withoutLeave: 0 };
for (const report of reports) {
  if (!existsSync(report)) {
    process.stdout.write(`no test report at ${report}\n`);
    sum.failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success, testResults } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  const named = skippedTests(testResults);
  const excused = named.filter(hasLeave).length;
  for (const test of named.filter((one) => !hasLeave(one))) {
    process.stdout.write(`skipped without leave: ${test.file}: ${test.fullName}\n`);
  }
  sum.passed += numPassedTests;
  sum.failed += numFailedTests + (success || numFailedTests > 0 ? 0 : 1);
  sum.skipped += numPendingTests + numTodoTests;
  sum.withoutLeave += numPendingTests + numTodoTests - excused;
}
const skipped = sum.skipped === 0 ? "" : `, ${sum.skipped} skipped`;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exit(commandFailed === "0" && sum.failed === 0 && sum.withoutLeave === 0 ? 0 : 1);
