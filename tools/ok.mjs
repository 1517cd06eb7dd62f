// `npm run ok`: everything that must hold before a change is worth reading, cheapest first. Stops at the first failure.
// With the name of a step, such as `node tools/ok.mjs tests`, only that one.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = join(root, "node_modules");
const report = process.env["COUNTERSIGN_TEST_REPORT"];

const vitest = ["vitest/vitest.mjs", "run"];
if (report !== undefined) vitest.push("--reporter=default", "--reporter=json", `--outputFile.json=${report}`);

/** @type {{ name: string, args: string[] }[]} */
const steps = [
  { name: "format and lint", args: [join(bin, "@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."] },
  { name: "types", args: [join(bin, "typescript/bin/tsc"), "-p", "tsconfig.json"] },
  { name: "layers", args: [join(root, "tools/check-layers.mjs")] },
  { name: "exports", args: [join(root, "tools/check-exports.mjs")] },
  { name: "columns", args: [join(root, "tools/check-columns.mjs")] },
  { name: "sizes", args: [join(root, "tools/sizes.mjs")] },
  { name: "lock file", args: [join(root, "tools/check-lock.mjs")] },
  { name: "docs", args: [join(root, "tools/check-docs.mjs")] },
  { name: "tests", args: [join(bin, vitest[0] ?? ""), ...vitest.slice(1)] },
];

const [only] = process.argv.slice(2);
const wanted = steps.filter(({ name }) => only === undefined || name === only);
if (wanted.length === 0) {
  process.stderr.write(`no step ${only}; there are: ${steps.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}

const started = performance.now();
for (const { name, args } of wanted) {
  const before = performance.now();
  process.stdout.write(`\n# ${name}\n`);
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    process.stdout.write(`\nnot ok: ${name}\n`);
    process.exit(1);
  }
  process.stdout.write(`# ${name}: ${((performance.now() - before) / 1000).toFixed(1)} s\n`);
}
process.stdout.write(`\nok in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
