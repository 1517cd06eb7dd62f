// The last resort of the harness: a process of its own that is told about every process group and every path,
// and that ends and removes what is left as soon as the test run is gone, however it went (end, crash, SIGKILL). It
// learns of that by the end of its input, which the kernel closes with the run.
//
// One JSON value a line: {"group": 123}, {"groupEnded": 123}, {"path": "/tmp/x"}, {"pathRemoved": "/tmp/x"}.

import { rm } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** @type {Set<number>} */
const groups = new Set();
/** @type {Set<string>} */
const paths = new Set();

// Ctrl-C and a closed terminal are meant for the run; the reaper outlives it by the time it takes to clean up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const note = JSON.parse(line);
  if ("group" in note) groups.add(note.group);
  if ("groupEnded" in note) groups.delete(note.groupEnded);
  if ("path" in note) paths.add(note.path);
  if ("pathRemoved" in note) paths.delete(note.pathRemoved);
}

for (const group of groups) signalGroup(group, "SIGKILL");
for (let left = 100; left > 0 && [...groups].some((group) => signalGroup(group, 0)); left--) await sleep(50);
for (const path of paths) {
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/**
 * @param {number} group
 * @param {"SIGKILL" | 0} signal
 * @returns {boolean} whether the group still had a member
 */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}
