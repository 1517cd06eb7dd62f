// The most memory that processes had at any time, as Linux counts it.
import { readFileSync } from "node:fs";

/** @param {readonly number[]} pids */
export function peakMebibytes(pids) {
  return pids.map(peakOf).reduce((sum, kibibytes) => sum + kibibytes, 0) / 1024;
}

/** @param {number} pid */
function peakOf(pid) {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (found === null) throw new Error(`/proc/${pid}/status does not tell the peak of resident memory`);
  return Number(found[1]);
}
