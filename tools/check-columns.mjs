// The formatter keeps code within its columns where it can; comments, texts and templates are held to the same here.

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exceeding, readAllowed } from "./ratchet.mjs";
import { readSources, topFolder } from "./sources.mjs";

export const MAX_COLUMNS = 120;
const FOLDERS = ["src", "sdk", "examples", "test", "bench", "tools"];

/** @param {string} line */
export function isLong(line) {
  return line.length > MAX_COLUMNS && [...line].length > MAX_COLUMNS;
}

/** @param {string} root @returns {import("./ratchet.mjs").Finding[]} */
export function findLongLines(root) {
  return readSources(root, FOLDERS).flatMap(({ path, lines }) =>
    lines.flatMap((line, at) =>
      isLong(line) ? [{ folder: topFolder(path), text: `${path}:${at + 1}: over ${MAX_COLUMNS} columns` }] : [],
    ),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const problems = exceeding("lines that are too long", findLongLines(root), readAllowed("longLines"));
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exit(1);
}
