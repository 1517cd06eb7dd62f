// Which process is meant, beyond its number: pids are reused, boots and start times are not.

import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** The boot during which it ran; undefined where the system does not tell. */
  readonly boot: string | undefined;
  /** Start time in clock ticks since that boot; undefined where the system does not tell. */
  readonly started: string | undefined;
}

/** Fields of the stat line, counted behind the command, which may hold anything: the state first, the start time 20th. */
const STATE = 0;
const START_TIME = 19;

/** Killed but not yet collected by its parent: it holds nothing any more. */
const ENDED_STATES: readonly string[] = ["Z", "X"];

export function identityOf(pid: number): ProcessIdentity {
  return { pid, boot: readProc("/proc/sys/kernel/random/boot_id"), started: statFields(pid)?.[START_TIME] };
}

/** True unless it is certain that the process has ended. */
export function isAlive({ pid, boot, started }: ProcessIdentity): boolean {
  if (!exists(pid)) return false;
  if (ENDED_STATES.includes(statFields(pid)?.[STATE] ?? "")) return false;
  const now = identityOf(pid);
  return isSameOrUnknown(boot, now.boot) && isSameOrUnknown(started, now.started);
}

function statFields(pid: number): readonly string[] | undefined {
  const line = readProc(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(")") + 2).split(" ");
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it is there, and somebody else's.
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function isSameOrUnknown(then: string | undefined, now: string | undefined): boolean {
  return then === undefined || now === undefined || then === now;
}

/** Undefined where there is no /proc or it does not show this process. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    if ("code" in (cause as object)) return undefined;
    throw cause;
  }
}
