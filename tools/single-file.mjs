// `npm run build:single-file`: `countersign` and the credential plugins as one executable file each, for machine images
// without Node. Node's own single executable applications: the program as one CommonJS text with V8's code cache, put
// into a copy of the newest LTS of Node (tools/newest-node.mjs). Prints size and start time of each.
//
//   node tools/single-file.mjs [--out DIR] [NAME…]
//
// The storage engine is a native addon that cannot be inside, so `countersign up` and `demo` say that they need the npm
// installation. Everything that a node needs is inside.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { AUTHENTICATORS } from "./bundle.mjs";
import { ensureNewestNode, NEWEST_LTS } from "./newest-node.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

export const PROGRAMS = [...AUTHENTICATORS, "countersign"];

/** What stands where the native addon would: the words of a person who meets it. */
const NO_STORAGE = `
import { Fault } from ${JSON.stringify(join(ROOT, "src/kernel/outcome/index.ts"))};
export function open() {
  const why = "this single file has no storage engine inside";
  throw new Fault("unsupported", why + ": an API server needs the npm installation of countersign");
}`;

/** @type {import("esbuild").Plugin} */
const withoutStorage = {
  name: "without-storage",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^lmdb$/ }, () => ({ path: "lmdb", namespace: "without-storage" }));
    onLoad({ filter: /^lmdb$/, namespace: "without-storage" }, () => ({ contents: NO_STORAGE, resolveDir: ROOT }));
  },
};

/** @param {string} source @param {string} outfile @param {{ write?: boolean }} [options] */
export async function bundleWhole(source, outfile, { write = true } = {}) {
  const { metafile } = await build({
    entryPoints: [source],
    outfile,
    write,
    metafile: true,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: `node${NEWEST_LTS}`,
    minify: true,
    keepNames: true,
    legalComments: "none",
    logLevel: "error",
    define: { "import.meta.url": "importMetaUrl" },
    // Files that stand beside a module are looked for beside the executable.
    banner: { js: 'const importMetaUrl = "file://" + process.execPath;' },
    plugins: [withoutStorage],
  });
  return metafile;
}

/**
 * @param {string} name
 * @param {{ outDir: string, source?: string }} options
 * @returns {Promise<string>} the executable's path
 */
export async function makeSingleFile(name, { outDir, source = join(ROOT, "src", "bin", `${name}.ts`) }) {
  const work = mkdtempSync(join(tmpdir(), "single-file-"));
  try {
    const main = join(work, `${name}.cjs`);
    await bundleWhole(source, main);
    mkdirSync(outDir, { recursive: true });
    const outfile = join(outDir, process.platform === "win32" ? `${name}.exe` : name);
    rmSync(outfile, { force: true });
    const config = { main, output: outfile, disableExperimentalSEAWarning: true, useCodeCache: true };
    writeFileSync(join(work, "config.json"), JSON.stringify(config));
    run(ensureNewestNode(), ["--build-sea", join(work, "config.json")]);
    return outfile;
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** @param {string} command @param {readonly string[]} args */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

/** Runs that count; the first one, which fills the page cache, does not. */
const ROUNDS = 11;

/** @param {string} command @param {readonly string[]} args @returns {number} the median in milliseconds */
function startTime(command, args) {
  const times = Array.from({ length: ROUNDS + 1 }, () => {
    const started = performance.now();
    run(command, args);
    return performance.now() - started;
  });
  return times.slice(1).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
  const outDir = resolve(values.out ?? join(ROOT, "dist", "single-file"));
  const bare = startTime(ensureNewestNode(), ["-e", "0"]);
  process.stdout.write(`node ${NEWEST_LTS} -e 0: ${bare.toFixed(0)} ms\n`);
  for (const name of positionals.length === 0 ? PROGRAMS : positionals) {
    const path = await makeSingleFile(name, { outDir });
    const megabytes = (statSync(path).size / 1e6).toFixed(1);
    process.stdout.write(`${path}   ${megabytes} MB   starts in ${startTime(path, ["--version"]).toFixed(0)} ms\n`);
  }
}
