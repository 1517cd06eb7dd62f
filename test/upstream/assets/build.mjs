// Makes sure that the real binaries and the Debian packages are there: `node test/upstream/assets/build.mjs`, or
// imported by ../run.mjs. Builds only what is missing, one binary after the other, and never skips silently.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheDirectory, GO_PACKAGES, locateRelease, moduleDirectory, RELEASES, readModule } from "./binaries.mjs";
import { withLock } from "./lock.mjs";
import { ensurePackages } from "./packages.mjs";

/** A sign of life for the binaries that take minutes. */
const PROGRESS_MS = 20_000;

/** @typedef {import("./binaries.mjs").Binary} Binary */
/** @typedef {import("./binaries.mjs").Release} Release */
/** @typedef {{ log?: (line: string) => void }} Options */

/**
 * @param {Options} [options]
 * @returns {Promise<readonly Binary[]>}
 */
export async function ensureAssets({ log = console.log } = {}) {
  for (const release of RELEASES) {
    const missing = missingBinaries(release);
    if (missing.length === 0) continue;
    checkGo(release, missing);
    const build = () => buildBinaries(missingBinaries(release), log);
    await withLock(join(cacheDirectory(release), "build.lock"), { log }, build);
  }
  ensurePackages({ log });
  return RELEASES.flatMap(locateRelease);
}

/** @param {Release} release */
function missingBinaries(release) {
  return locateRelease(release).filter(({ present }) => !present);
}

/**
 * @param {Release} release
 * @param {readonly Binary[]} missing
 */
function checkGo(release, missing) {
  const { goVersion, kubernetesVersion } = readModule(release);
  const names = missing.map(({ name }) => name).join(", ");
  const why = `${names} must be built from source into ${cacheDirectory(release)}`;
  const advice = `install Go ${goVersion} or newer (https://go.dev/dl/) and run this again, or copy binaries of ${
    kubernetesVersion
  } into that directory`;
  // GOTOOLCHAIN=local: the question is what is installed, not what Go could download.
  const go = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8", cwd: "/", env: goEnvironment() });
  if (go.error !== undefined || go.status !== 0) throw new Error(`Go is not installed, but ${why}; ${advice}`);
  const installed = go.stdout.trim();
  if (isOlder(installed, goVersion)) throw new Error(`${installed} is too old, and ${why}; ${advice}`);
}

/**
 * @param {string} installed such as go1.26.8, go1.27rc1 or a development version, which is taken as new enough
 * @param {string} needed such as 1.26.0
 */
export function isOlder(installed, needed) {
  const found = /^go(\d+)\.(\d+)(?:\.(\d+))?/.exec(installed);
  if (found === null) return false;
  const have = [found[1], found[2], found[3] ?? 0].map(Number);
  const want = needed.split(".").map(Number);
  const different = have.findIndex((part, index) => part !== (want[index] ?? 0));
  return different !== -1 && Number(have[different]) < (want[different] ?? 0);
}

/**
 * @param {readonly Binary[]} binaries
 * @param {(line: string) => void} log
 */
async function buildBinaries(binaries, log) {
  for (const [index, binary] of binaries.entries()) {
    const { kubernetesVersion } = readModule(binary.release);
    const { name } = binary;
    log(`building ${name} ${index + 1} of ${binaries.length} for Kubernetes ${kubernetesVersion} …`);
    const start = Date.now();
    const seconds = () => Math.round((Date.now() - start) / 1000);
    const progress = setInterval(() => log(`building ${name}: ${seconds()} s so far`), PROGRESS_MS);
    try {
      await buildBinary(binary);
    } finally {
      clearInterval(progress);
    }
    log(`built ${name} in ${seconds()} s`);
  }
}

/** @param {Binary} binary */
async function buildBinary({ release, name, path }) {
  const part = `${path}.${process.pid}.part`;
  mkdirSync(cacheDirectory(release), { recursive: true });
  try {
    const flags = linkerFlags(readModule(release).kubernetesVersion);
    const args = ["build", "-trimpath", "-ldflags", flags, "-o", part, GO_PACKAGES[name]];
    await runGo(moduleDirectory(release), args);
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
}

/**
 * The version is stamped: kubeadm and the version skew checks of the others read it.
 * @param {string} kubernetesVersion
 */
function linkerFlags(kubernetesVersion) {
  const [major, minor] = kubernetesVersion.slice(1).split(".");
  const base = "k8s.io/component-base/version";
  const stamps = {
    [`${base}.gitVersion`]: kubernetesVersion,
    [`${base}.gitMajor`]: major,
    [`${base}.gitMinor`]: minor,
    [`${base}.gitTreeState`]: "clean",
    "k8s.io/client-go/pkg/version.gitVersion": kubernetesVersion,
  };
  return ["-s -w", ...Object.entries(stamps).map(([name, value]) => `-X ${name}=${value}`)].join(" ");
}

function goEnvironment() {
  return { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" };
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @returns {Promise<void>}
 */
function runGo(cwd, args) {
  return new Promise((resolve, reject) => {
    const go = spawn("go", args, { cwd, env: goEnvironment(), stdio: ["ignore", "inherit", "inherit"] });
    go.on("error", reject);
    go.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go ${args[0]} ${args.at(-1)} ended with ${signal ?? code}; its own words are above`));
    });
  });
}

/** @param {readonly Binary[]} binaries */
export function describeAssets(binaries) {
  const lines = RELEASES.flatMap((release) => [
    `real Kubernetes ${readModule(release).kubernetesVersion}:`,
    ...binaries.filter((binary) => binary.release === release).map(describeBinary),
  ]);
  return lines.join("\n");
}

/** @param {Binary} binary */
function describeBinary({ name, path, from }) {
  return `  ${name.padEnd(24)}${path}${from === "cache" ? "" : ` (${from})`}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(describeAssets(await ensureAssets()));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
