// What a join costs in processor time, and whom: on two cores that are never idle the sum decides how many joins a
// second there are, and it hardly moves when somebody else uses the machine meanwhile. From /proc, which only Linux
// has.
import { readFileSync } from "node:fs";

/** A tick of the kernel's clock, in which /proc counts: USER_HZ is 100 wherever Node runs. */
const TICK_MS = 10;

/** @param {number} pid User and system time of all threads. @returns {number} NaN where there is no /proc */
function processorMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN; // not Linux: the rates stand alone
  }
}

/**
 * Runs `work` and answers how many milliseconds each of the processes was on a core meanwhile.
 * @template T
 * @param {Readonly<Record<string, number>>} pids
 * @param {() => Promise<T>} work
 */
export async function withProcessors(pids, work) {
  const before = Object.entries(pids).map(([name, pid]) => /** @type {const} */ ([name, pid, processorMs(pid)]));
  const result = await work();
  /** @type {Record<string, number>} */
  const spent = Object.fromEntries(before.map(([name, pid, start]) => [name, processorMs(pid) - start]));
  return { result, spent };
}
