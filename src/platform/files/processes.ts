// Is the process that wrote a lock still alive? A process id alone does not tell: ids are used again. Together with the
// moment the process started, and the boot that counts it, it does.

import { readFile } from "node:fs/promises";
import process from "node:process";

export interface Processes {
  /** Our own id. */
  readonly pid: number;
  /** A text that no other process with this id has; undefined when there is no such process. */
  startOf(pid: number): Promise<string | undefined>;
}

export const systemProcesses: Processes = {
  pid: process.pid,
  startOf: async (pid) => {
    if (!exists(pid)) return undefined;
    const [boot, stat] = await Promise.all([
      readProc("/proc/sys/kernel/random/boot_id"),
      readProc(`/proc/${pid}/stat`),
    ]);
    // Without /proc (macOS) a process that lives under this id counts as the one that was meant: safe, if too careful.
    if (boot === undefined) return "unknown";
    return stat === undefined ? undefined : startFromStat(boot.trim(), stat);
  },
};

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH"; // EPERM: another user's, but there
  }
}

/**
 * proc(5): the name in parentheses may hold anything; after it come the state (field 3) … and the start time (field
 * 22).
 */
function startFromStat(boot: string, stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  if (state === "Z" || state === "X") return undefined; // dead, only not yet collected by its parent
  return `${boot}/${fields[19] ?? ""}`;
}

async function readProc(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined; // no /proc here, or the process ended this moment
  }
}
