// `npm run measure`: how large the house is, as one column of a table. Run on two trees it shows what a change of the
// layout gave.
//
//   node tools/measure.mjs [-o json] [--without-joins] [ROOT]

import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { findLongLines } from "./check-columns.mjs";
import { findSharedNames, findUnusedExports } from "./check-exports.mjs";
import { isCode, PRODUCT, readSources } from "./sources.mjs";
import { traceJoins } from "./trace/join.mjs";

/** @typedef {import("./sources.mjs").Source} Source */
/** @typedef {Record<string, number | string>} Rows */

const SMALL_FILE = 30;
/** So many equal lines in a row are a duplicate. */
const RUN = 6;
/**
 * A join's own files: what decides and speaks, without the API server, the libraries below and the command line above.
 */
const OWN_ROOMS = ["src/api/", "src/attestation/", "src/controller/", "src/node/"];

/** @param {readonly number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** @param {string} root @returns {Rows} */
export function measureTree(root) {
  const everything = readSources(root, [...PRODUCT, "test"]);
  const product = everything.filter(({ path, isTest }) => !isTest && !path.startsWith("test/"));
  const lengths = product.map(({ lines }) => lines.length);
  const functions = product.flatMap((source) => source.functions.map(({ size }) => size));
  const lines = sum(lengths);
  const declared = product.flatMap((source) => source.exports.filter(({ from }) => from === undefined));
  const folders = [...new Set(product.map(({ path }) => dirname(path)))];
  const depths = product.map(({ path }) => path.split("/").length - 1);
  const duplicates = findDuplicates(product);
  const long = findLongLines(root);
  return {
    files: product.length,
    lines,
    "lines of code": sum(product.map(({ codeLines }) => codeLines)),
    "lines of tests": sum(everything.map((each) => each.lines.length)) - lines,
    "file, median and p95 of lines": `${quantile(lengths, 0.5)} / ${quantile(lengths, 0.95)}`,
    functions: functions.length,
    "function, median and p95 of lines": `${quantile(functions, 0.5)} / ${quantile(functions, 0.95)}`,
    "exports declared": declared.length,
    "exports per 1,000 lines": Number(((declared.length / lines) * 1_000).toFixed(1)),
    "exports that an index passes on": product.flatMap((source) => source.exports).length - declared.length,
    "exports without an importer": findUnusedExports(root).length,
    "exported names not unique within their top folder": findSharedNames(root).length,
    "exported names not unique in the tree": sharedInTree(product),
    folders: folders.length,
    "depth, mean and most": `${(sum(depths) / depths.length).toFixed(1)} / ${Math.max(...depths)}`,
    [`files under ${SMALL_FILE} lines`]: lengths.filter((length) => length < SMALL_FILE).length,
    [`duplicated runs of ${RUN} lines or more`]: duplicates.runs,
    "lines in them": duplicates.lines,
    "lines over 120 columns, product": long.filter(({ folder }) => /^(src|sdk|examples)\b/.test(folder)).length,
    "lines over 120 columns, tests and tools": long.filter(({ folder }) => !/^(src|sdk|examples)\b/.test(folder))
      .length,
  };
}

/** @param {Source[]} product */
function sharedInTree(product) {
  /** @type {Map<string, Set<string>>} */
  const declared = new Map();
  for (const { path, exports } of product) {
    for (const { name, from } of exports) {
      if (from === undefined) declared.set(name, (declared.get(name) ?? new Set()).add(path));
    }
  }
  return [...declared.values()].filter(({ size }) => size > 1).length;
}

/** Not worth counting: imports, and lines of brackets. @param {string} line */
function isTrivial(line) {
  return !isCode(line) || /^\s*(import|export \{|\} from)\b/.test(line) || !/\w{2}/.test(line);
}

/**
 * Runs of lines that stand elsewhere too, blank lines, comments, imports and brackets left out. Every place counts
 * once.
 * @param {Source[]} product
 */
export function findDuplicates(product) {
  const bodies = product.map(({ lines }) => lines.filter((line) => !isTrivial(line)).map((line) => line.trim()));
  /** @type {Map<string, number>} */
  const seen = new Map();
  const windows = bodies.map((body) =>
    body.slice(RUN - 1).map((_, at) => {
      const window = body.slice(at, at + RUN).join("\n");
      seen.set(window, (seen.get(window) ?? 0) + 1);
      return window;
    }),
  );
  const found = { runs: 0, lines: 0 };
  for (const file of windows) {
    /** The end of the run that is open. */
    let end = 0;
    for (const [at, window] of file.entries()) {
      if ((seen.get(window) ?? 0) < 2) continue;
      if (at >= end) found.runs += 1;
      found.lines += at + RUN - Math.max(at, end);
      end = at + RUN;
    }
  }
  return found;
}

/** @param {string} root @returns {Promise<Rows>} */
async function measureJoins(root) {
  const { plain, tpm } = await traceJoins(root);
  /** @param {string[] | undefined} files */
  const own = (files) => files?.filter((path) => OWN_ROOMS.some((room) => path.startsWith(room))).length;
  return {
    "files on the way of a plain join": own(plain) ?? "",
    "files on the way of an attested (TPM) join": own(tpm) ?? "swtpm is not installed",
    "the same with API server, libraries and command line, plain": plain.length,
    "the same with API server, libraries and command line, attested": tpm?.length ?? "swtpm is not installed",
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values, positionals } = parseArgs({
    options: { output: { type: "string", short: "o" }, "without-joins": { type: "boolean" } },
    allowPositionals: true,
  });
  const root = resolve(positionals[0] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
  const rows = { ...measureTree(root), ...(values["without-joins"] === true ? {} : await measureJoins(root)) };
  const table = Object.entries(rows).map(([name, value]) => `${name.padEnd(64)}${String(value).padStart(12)}\n`);
  process.stdout.write(values.output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : table.join(""));
}
