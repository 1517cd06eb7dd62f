// The run's end of the reaper: notes written into its standard input.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Note =
  | { readonly group: number }
  | { readonly groupEnded: number }
  | { readonly path: string }
  | { readonly pathRemoved: string };

let reaper: ChildProcess | undefined;

/** Starts the reaper with the first note. */
export function note(about: Note): void {
  reaper ??= startReaper();
  reaper.stdin?.write(`${JSON.stringify(about)}\n`);
}

function startReaper(): ChildProcess {
  const script = fileURLToPath(new URL("./reaper.mjs", import.meta.url));
  // detached: a session of its own, so that a signal for the run's group does not reach it.
  const child = spawn(process.execPath, [script], { detached: true, stdio: ["pipe", "ignore", "inherit"] });
  child.unref();
  // A vitest that is interrupted leaves its workers running. One whose vitest is gone has nobody to report to.
  process.once("disconnect", () => process.exit(1));
  return child;
}
