// Every package that `npm ci` can install has its hash in package-lock.json, and none has an address: whoever answers
// for the registry can then change nothing. npm leaves the hash out, without a word, where the registry does not know a
// platform's package.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const STRONG = /^sha512-[A-Za-z0-9+/]{86}==$/;

/**
 * @typedef {{ version?: string, integrity?: string, resolved?: string, link?: boolean }} Entry
 * @param {{ packages?: Record<string, Entry> }} lock
 */
export function checkLock({ packages = {} }) {
  return Object.entries(packages).flatMap(([path, { integrity, resolved, link }]) => {
    // The project itself, its workspace members and the links to them are in this repository.
    if (!path.includes("node_modules/") || link === true) return [];
    if (!STRONG.test(integrity ?? ""))
      return [
        `${path} has no SHA-512: pin a version that the registry has for every platform (overrides in package.json)`,
      ];
    return resolved === undefined ? [] : [`${path} has an address: omit-lockfile-registry-resolved is set in .npmrc`];
  });
}

const LOCKS = ["../package-lock.json", "./newest-node/package-lock.json"];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of LOCKS) {
    const lock = JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
    const found = checkLock(lock);
    for (const line of found) process.stderr.write(`${line}\n`);
    const entries = Object.keys(lock.packages).length;
    process.stdout.write(`${entries} entries, ${found.length} without hash or with an address\n`);
    if (found.length > 0) process.exitCode = 1;
  }
}
