// Makes a fresh clone ready: dependencies when the lock file changed, the build when a source is newer than it.
// Every npm script that needs them calls this first, so `npm start` and `npm test` are the only commands to know.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./npm.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const MINIMUM_NODE = [20, 18, 1];

/** @param {string} text */
function stop(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function requireNode() {
  const have = process.versions.node.split(".").map(Number);
  for (const [index, least] of MINIMUM_NODE.entries()) {
    const part = have[index] ?? 0;
    if (part > least) return;
    if (part < least) {
      stop(
        `Node ${process.versions.node} is too old: Countersign needs ${MINIMUM_NODE.join(".")} or newer. ` +
          "Install a newer Node and run this again.",
      );
    }
  }
}

/**
 * @param {string} what
 * @param {string} command
 * @param {string[]} args
 */
function step(what, command, args) {
  const started = performance.now();
  process.stderr.write(`${what} … `);
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (result.status !== 0) {
    process.stderr.write(`failed\n${result.stdout ?? ""}${result.stderr ?? ""}`);
    stop(`${what} failed${result.error === undefined ? "" : `: ${result.error.message}`}`);
  }
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function install() {
  const digest = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules", ".countersign-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  const { command, before } = npm();
  step("installing dependencies", command, [...before, "ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, digest);
}

/** @param {string} folder @returns {number} */
function newest(folder) {
  let latest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

/** @param {boolean} force */
function build(force) {
  const stamp = join(root, "dist", ".built");
  const inputs = Math.max(
    ...["src", "sdk/src", "examples", "deploy"].map((folder) => newest(join(root, folder))),
    ...["tsconfig.json", "tsconfig.build.json", "package-lock.json", "tools/bundle.mjs"].map(
      (file) => statSync(join(root, file)).mtimeMs,
    ),
  );
  if (!force && existsSync(stamp) && statSync(stamp).mtimeMs > inputs) return;
  rmSync(join(root, "dist"), { recursive: true, force: true });
  step("building", process.execPath, [
    join(root, "node_modules", "typescript", "bin", "tsc"),
    "-p",
    "tsconfig.build.json",
  ]);
  step("bundling", process.execPath, [join(root, "tools", "bundle.mjs")]);
  writeFileSync(stamp, "");
}

requireNode();
install();
if (process.argv.includes("--build")) build(process.argv.includes("--force"));
