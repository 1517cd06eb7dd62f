// `npm run test:upstream`: makes sure of the real binaries, then runs the tests against them. Further arguments go to
// vitest (`npm run test:upstream -- test/upstream/join.test.ts`); its exit code is the exit code.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeAssets, ensureAssets } from "./assets/build.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** @returns {Promise<number>} */
async function main() {
  try {
    console.log(describeAssets(await ensureAssets()));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
  return runVitest(process.argv.slice(2));
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function runVitest(args) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const report = process.env["COUNTERSIGN_TEST_REPORT"];
  const reporters =
    report === undefined ? [] : ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const all = [vitest, "run", "--config", "vitest.upstream.config.ts", ...reporters, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, all, { cwd: ROOT, stdio: "inherit" });
    // Ctrl-C reaches vitest from the terminal; only a signal sent to this process alone must be handed on.
    process.on("SIGINT", () => undefined);
    process.on("SIGTERM", () => child.kill("SIGTERM"));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

process.exitCode = await main();
