// Kubernetes' own end-to-end tests as one program, from a Go module of its own beside the one of the servers: what
// changes here leaves their cache alone. Built when a test first asks for it.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheDirectory } from "../binaries.mjs";
import { withLock } from "../lock.mjs";

const MODULE_DIR = fileURLToPath(new URL(".", import.meta.url));
const GO_PACKAGE = "k8s.io/kubernetes/test/e2e";
/** A sign of life: it takes minutes. */
const PROGRESS_MS = 20_000;

/**
 * The path of the program, built if it is not there.
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string>}
 */
export async function ensureE2e({ log = console.log } = {}) {
  const text = readFileSync(join(MODULE_DIR, "go.mod"), "utf8");
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const path = join(dirname(cacheDirectory()), `e2e-${version}-${hash}`, "e2e.test");
  if (existsSync(path)) return path;
  await withLock(`${path}.lock`, { log }, async () => {
    if (!existsSync(path)) await build(path, version, log);
  });
  return path;
}

/**
 * @param {string} path
 * @param {string} version
 * @param {(line: string) => void} log
 */
async function build(path, version, log) {
  const start = Date.now();
  const seconds = () => Math.round((Date.now() - start) / 1000);
  log(`building the end-to-end tests of Kubernetes ${version} …`);
  const progress = setInterval(() => log(`building e2e.test: ${seconds()} s so far`), PROGRESS_MS);
  const part = `${path}.${process.pid}.part`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    // Without vet, which would look at all of Kubernetes once more.
    await runGo(["test", "-c", "-vet=off", "-trimpath", "-ldflags", linkerFlags(version), "-o", part, GO_PACKAGE]);
    renameSync(part, path);
  } finally {
    clearInterval(progress);
    rmSync(part, { force: true });
  }
  log(`built e2e.test in ${seconds()} s`);
}

/**
 * Some tests compare the version of the server with their own.
 * @param {string} version
 */
function linkerFlags(version) {
  const [major, minor] = version.slice(1).split(".");
  const base = "k8s.io/component-base/version";
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  return ["-s -w", ...Object.entries(stamps).map(([name, value]) => `-X ${base}.${name}=${value}`)].join(" ");
}

/**
 * @param {string[]} args
 * @returns {Promise<void>}
 */
function runGo(args) {
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local", GOWORK: "off" };
  return new Promise((resolve, reject) => {
    const go = spawn("go", args, { cwd: MODULE_DIR, env, stdio: ["ignore", "inherit", "inherit"] });
    go.on("error", (cause) =>
      reject(new Error("Go is not installed, but e2e.test must be built from source", { cause })),
    );
    go.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`go test -c ${GO_PACKAGE} ended with ${signal ?? code}; its own words are above`));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await ensureE2e());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
