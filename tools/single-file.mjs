// `npm run build:single-file`: `countersign` and the credential plugins as one executable file each, for machine images
// without Node. Node's own single executable applications: the program as one CommonJS text with V8's code cache, put into
// a copy of the Node that runs this. Prints size and start time of each.
//
//   node tools/single-file.mjs [--out DIR] [NAME…]
//
// The storage engine is a native addon that cannot be inside, so `countersign up` and `demo` say that they need the npm
// installation. Everything that a node needs is inside.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { AUTHENTICATORS, TARGET } from "./bundle.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

export const PROGRAMS = [...AUTHENTICATORS, "countersign"];

/** The mark that Node looks for in itself; injecting turns its last bit. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

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
    target: TARGET,
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
    const blob = join(work, "blob");
    await bundleWhole(source, main);
    const config = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
    writeFileSync(join(work, "config.json"), JSON.stringify(config));
    run(process.execPath, ["--experimental-sea-config", join(work, "config.json")]);
    mkdirSync(outDir, { recursive: true });
    const outfile = join(outDir, process.platform === "win32" ? `${name}.exe` : name);
    const unfinished = join(work, "executable");
    copyFileSync(process.execPath, unfinished);
    chmodSync(unfinished, 0o755);
    // In a process of its own: it talks about harmless section names of the executable.
    const words = ["NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, "--macho-segment-name", "NODE_SEA"];
    run(process.execPath, [join(ROOT, "node_modules", "postject", "dist", "cli.js"), unfinished, ...words]);
    rmSync(outfile, { force: true });
    copyFileSync(unfinished, outfile);
    chmodSync(outfile, 0o755);
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
  const bare = startTime(process.execPath, ["-e", "0"]);
  process.stdout.write(`node ${process.versions.node} -e 0: ${bare.toFixed(0)} ms\n`);
  for (const name of positionals.length === 0 ? PROGRAMS : positionals) {
    const path = await makeSingleFile(name, { outDir });
    const megabytes = (statSync(path).size / 1e6).toFixed(1);
    process.stdout.write(`${path}   ${megabytes} MB   starts in ${startTime(path, ["--version"]).toFixed(0)} ms\n`);
  }
}
