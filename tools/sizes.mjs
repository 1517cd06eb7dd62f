// Growth is seen before it stops anybody: the ten largest files and functions at each run, and a stop at the limits.
// Function sizes by shape: from the line that opens a block to the closing brace at the same indent; the formatter makes that exact.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const LIMITS = { fileLines: 500, functionLines: 70, folderFiles: 20 };
/** Data, not code: rows of facts that only grow when the facts do. */
const TABLES = [/^src\/apiserver\/authorization\/policy\//];
const OPENER =
  /^(\s*)(?!.*\b(?:if|for|while|switch|catch|else|try|do|describe|class|interface|return new)\b).*(?:\)|=>)\s*(?::[^{}]*)?\{$/;

/** @param {string} folder @returns {string[]} */
function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["dist", "node_modules"].includes(entry.name) ? [] : walk(path);
    return /\.(ts|tsx|mjs)$/.test(entry.name) && !/\.test\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** @param {string[]} lines */
function codeLines(lines) {
  return lines.filter((line) => line.trim() !== "" && !/^\s*(\/\/|\/?\*)/.test(line)).length;
}

/** @param {string[]} lines @param {string} file */
function functionsOf(lines, file) {
  return lines.flatMap((line, start) => {
    const indent = OPENER.exec(line)?.[1];
    if (indent === undefined) return [];
    const length = lines.slice(start + 1).findIndex((next) => next.startsWith(`${indent}}`)) + 2;
    return [{ where: `${file}:${start + 1}`, size: length }];
  });
}

const files = ["src", "sdk/src", "examples", "tools"].flatMap((folder) => walk(join(root, folder)));
const measured = files.map((path) => {
  const lines = readFileSync(path, "utf8").split("\n");
  const file = relative(root, path);
  return {
    where: file,
    size: codeLines(lines),
    functions: functionsOf(lines, file),
    table: TABLES.some((table) => table.test(file)),
  };
});
const functions = measured.flatMap((file) => file.functions);
/** @type {Map<string, number>} */
const folders = new Map();
for (const { where } of measured) folders.set(dirname(where), (folders.get(dirname(where)) ?? 0) + 1);

/** @param {string} title @param {{ where: string, size: number }[]} list */
function print(title, list) {
  const top = [...list].sort((a, b) => b.size - a.size).slice(0, 10);
  process.stdout.write(
    `${title}\n${top.map(({ where, size }) => `  ${String(size).padStart(4)}  ${where}`).join("\n")}\n`,
  );
}

print(
  "largest files (lines of code)",
  measured.filter(({ table }) => !table),
);
print("largest functions (lines)", functions);

const problems = [
  ...measured
    .filter(({ size, table }) => !table && size > LIMITS.fileLines)
    .map(({ where, size }) => `${where} has ${size} lines of code, at most ${LIMITS.fileLines}`),
  ...functions
    .filter(({ size }) => size > LIMITS.functionLines)
    .map(({ where, size }) => `${where} is a function of ${size} lines, at most ${LIMITS.functionLines}`),
  ...[...folders]
    .filter(([, count]) => count > LIMITS.folderFiles)
    .map(([folder, count]) => `${folder} holds ${count} files, at most ${LIMITS.folderFiles}`),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exit(1);
