// The newest LTS of Node beside the one that runs this: `.ci/run` tests on both, and single files are made of it. Its
// version and its hashes are in tools/newest-node/, whose packages are those that the npm package `node` chooses from
// by a script of its own. Installed once, into the cache that real Kubernetes' programs are built into too.
//
//   node tools/newest-node.mjs     installs it where it is missing, and prints its path

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npm } from "./npm.mjs";

const PINNED = join(dirname(fileURLToPath(import.meta.url)), "newest-node");
const FILES = ["package.json", "package-lock.json"];

export const NEWEST_LTS = pinnedVersion();

/** All platforms have the same. */
function pinnedVersion() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(PINNED, "package.json"), "utf8"));
  return String(Object.values(optionalDependencies)[0]);
}

/** Whether this process runs on it, or on a newer one. */
function isThisNewEnough() {
  const [have, want] = [process.versions.node, NEWEST_LTS].map((version) => version.split(".").map(Number));
  const at = have?.findIndex((part, index) => part !== want?.[index]) ?? -1;
  return at === -1 || Number(have?.[at]) > Number(want?.[at]);
}

function cacheFolder() {
  const { env } = process;
  const root = env["COUNTERSIGN_CACHE"] || join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "countersign");
  const lock = readFileSync(join(PINNED, "package-lock.json"));
  return join(root, "node", createHash("sha256").update(lock).digest("hex").slice(0, 12));
}

/** @returns {string} the executable's path */
export function ensureNewestNode() {
  if (isThisNewEnough()) return process.execPath;
  const folder = cacheFolder();
  const executable = join("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(join(folder, executable))) return join(folder, executable);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    for (const file of FILES) copyFileSync(join(PINNED, file), join(work, file));
    const { command, before } = npm();
    const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status, stdout, stderr } = spawnSync(command, [...before, ...words], { cwd: work, encoding: "utf8" });
    if (status !== 0) throw new Error(`installing the newest LTS of Node failed: ${stdout}${stderr}`);
    if (!existsSync(join(work, executable))) {
      const platform = `${process.platform} on ${process.arch}`;
      throw new Error(`tools/newest-node has no package for ${platform}: run this with Node ${NEWEST_LTS} or newer`);
    }
    // Where another run was first, its installation is as good.
    if (!existsSync(folder)) renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, executable);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${ensureNewestNode()}\n`);
}
