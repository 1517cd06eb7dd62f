// One builder at a time for one cache directory. A lock file names its owner and is touched while the owner lives; a
// lock whose owner is gone or silent is taken over. Should two builders ever take over in the same moment, a binary is
// built twice and nothing worse: each lands in its place by a rename.

import { mkdirSync, readFileSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const TOUCH_MS = 5_000;
/** Twelve missed touches: the process number may have been given to somebody else. */
const SILENT_MS = 60_000;
const POLL_MS = 500;

/**
 * @template T
 * @param {string} path
 * @param {{ log: (line: string) => void }} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, { log }, work) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryLock(path)) {
    const owner = findOwner(path);
    if (owner === undefined) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) log(`process ${owner} is building into ${dirname(path)}; waiting for it`);
    told = true;
    await sleep(POLL_MS);
  }
  // A touch that fails means that the lock was taken over; the rename at the end makes that harmless.
  const touch = setInterval(() => utimes(path, new Date(), new Date(), () => undefined), TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
function tryLock(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * The living owner's process number; nothing when the lock is abandoned.
 * @param {string} path
 */
function findOwner(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > SILENT_MS) return undefined;
    const owner = Number(readFileSync(path, "utf8"));
    // Between the creation of the file and the writing of the number the file is empty: that owner lives.
    if (owner > 0) process.kill(owner, 0);
    return owner;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    if (code === "EPERM") return Number(readFileSync(path, "utf8"));
    throw error;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
