// Adds up the reports of several test runs and prints one closing line. A run that left no report counts as a failure,
// so that a crash before the first test cannot look like success.
// Usage: node tools/count-tests.mjs <0 or 1: did a command fail> REPORT...

import { existsSync, readFileSync } from "node:fs";

const [commandFailed, ...reports] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const report of reports) {
  if (!existsSync(report)) {
    process.stdout.write(`no test report at ${report}\n`);
    sum.failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, success } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  sum.passed += numPassedTests;
  sum.failed += numFailedTests + (success || numFailedTests > 0 ? 0 : 1);
  sum.skipped += numPendingTests + numTodoTests;
}
const skipped = sum.skipped === 0 ? "" : `, ${sum.skipped} skipped`;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exit(commandFailed === "0" && sum.failed === 0 ? 0 : 1);
