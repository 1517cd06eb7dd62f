// Counts that may only fall. tools/allowed.json says how many of a thing a folder still has; a folder that is not in it
// has none. `node tools/ratchet.mjs` lowers every number to what there is; no command raises one.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const FILE = join(dirname(fileURLToPath(import.meta.url)), "allowed.json");

/**
 * @typedef {{ folder: string, text: string }} Finding
 * @typedef {Record<string, number>} Allowed
 */

/** @param {string} what @returns {Allowed} */
export function readAllowed(what) {
  return JSON.parse(readFileSync(FILE, "utf8"))[what] ?? {};
}

/** @param {readonly Finding[]} findings */
function byFolder(findings) {
  /** @type {Map<string, string[]>} */
  const folders = new Map();
  for (const { folder, text } of findings) folders.set(folder, [...(folders.get(folder) ?? []), text]);
  return folders;
}

/**
 * @param {string} what in words, for people
 * @param {readonly Finding[]} findings
 * @param {Allowed} allowed
 * @returns {string[]} every finding of a folder that has more than it may
 */
export function exceeding(what, findings, allowed) {
  return [...byFolder(findings)].flatMap(([folder, texts]) => {
    const most = allowed[folder] ?? 0;
    if (texts.length <= most) return [];
    return [...texts, `${folder}: ${texts.length} ${what}, at most ${most} (tools/allowed.json)`];
  });
}

/** Folders that have none are left out. @param {Allowed} allowed @param {readonly Finding[]} findings */
export function lowered(allowed, findings) {
  const folders = byFolder(findings);
  const counts = Object.entries(allowed).map(([folder, most]) => [
    folder,
    Math.min(most, folders.get(folder)?.length ?? 0),
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** The checks import this module, so it is loaded before them. */
async function lowerAll() {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const { findSharedNames, findUnusedExports } = await import("./check-exports.mjs");
  const { findLongLines } = await import("./check-columns.mjs");
  const next = {
    unusedExports: lowered(readAllowed("unusedExports"), findUnusedExports(root)),
    sharedNames: lowered(readAllowed("sharedNames"), findSharedNames(root)),
    longLines: lowered(readAllowed("longLines"), findLongLines(root)),
  };
  writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) void lowerAll();
