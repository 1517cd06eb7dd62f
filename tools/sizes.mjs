// Growth is seen before it is a problem: the largest files, functions and folders at each run, and a stop at the
// limits. What is capped is what a reader has to hold in mind: the length of a file and of a function, the exports that
// a folder declares, and the files of the tree. How many files a folder has is only shown.

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PRODUCT, readSources } from "./sources.mjs";

/**
 * The last two only fall: lower them when the tree has shrunk. They stand a little above what there is (93 exports, 857
 * files), so that a fix may add a file; a feature makes room first, or says here why it needs more.
 */
const LIMITS = { fileLines: 500, functionLines: 70, folderExports: 100, treeFiles: 880 };
/** Where to look again. */
const MANY_FILES = 20;
/** Data, not code: rows of facts that only grow when the facts do. */
const TABLES = [/^src\/apiserver\/authorization\/policy\//];

/** @typedef {import("./sources.mjs").Source} Source */
/** @typedef {{ where: string, size: number }} Measured */

/** @param {string} root */
export function measureSizes(root) {
  const sources = readSources(root, [...PRODUCT, "tools"]).filter(({ isTest }) => !isTest);
  const isProduct = (/** @type {string} */ path) => PRODUCT.some((folder) => path.startsWith(`${folder}/`));
  const product = sources.filter(({ path }) => isProduct(path));
  return {
    files: sources
      .filter(({ path }) => !TABLES.some((table) => table.test(path)))
      .map(({ path, codeLines }) => ({ where: path, size: codeLines })),
    functions: sources.flatMap(({ path, functions }) =>
      functions.map(({ line, size }) => ({ where: `${path}:${line}`, size })),
    ),
    exports: perFolder(product, ({ exports }) => exports.filter(({ from }) => from === undefined).length),
    folders: perFolder(product, () => 1),
    treeFiles: product.length,
  };
}

/** @param {Source[]} sources @param {(source: Source) => number} count @returns {Measured[]} */
function perFolder(sources, count) {
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const source of sources) {
    const folder = dirname(source.path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + count(source));
  }
  return [...sizes].map(([where, size]) => ({ where, size }));
}

/** @param {ReturnType<typeof measureSizes>} sizes @param {typeof LIMITS} [limits] */
export function checkSizes({ files, functions, exports, treeFiles }, limits = LIMITS) {
  /** @param {Measured[]} list @param {number} most @param {(size: number) => string} words */
  const over = (list, most, words) =>
    list.filter(({ size }) => size > most).map(({ where, size }) => `${where} ${words(size)}, at most ${most}`);
  return [
    ...over(files, limits.fileLines, (size) => `has ${size} lines of code`),
    ...over(functions, limits.functionLines, (size) => `is a function of ${size} lines`),
    ...over(exports, limits.folderExports, (size) => `declares ${size} exports`),
    ...over([{ where: "the tree", size: treeFiles }], limits.treeFiles, (size) => `has ${size} files`),
  ];
}

/** @param {string} title @param {Measured[]} list */
function print(title, list) {
  const rows = list.map(({ where, size }) => `  ${String(size).padStart(4)}  ${where}\n`);
  process.stdout.write(`${title}\n${rows.join("")}`);
}

/** @param {Measured[]} list @param {number} count */
function largest(list, count) {
  return [...list].sort((a, b) => b.size - a.size).slice(0, count);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = measureSizes(join(dirname(fileURLToPath(import.meta.url)), ".."));
  print("largest files (lines of code)", largest(sizes.files, 10));
  print("largest functions (lines)", largest(sizes.functions, 10));
  print("most exports (declared in a folder)", largest(sizes.exports, 5));
  print(
    "folders of many files, to look at again",
    sizes.folders.filter(({ size }) => size > MANY_FILES),
  );
  const problems = checkSizes(sizes);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exit(1);
}
