// A temporary directory for everything that one part of a test cluster writes: keys, state, sockets, logs.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { note } from "./reaper.ts";

export interface Workspace {
  readonly dir: string;
  remove(): Promise<void>;
}

/** With COUNTERSIGN_KEEP=1 the directories stay, to read logs after a failure. */
const KEEP = (process.env["COUNTERSIGN_KEEP"] ?? "") !== "";

export async function createWorkspace(name: string): Promise<Workspace> {
  // Short: a unix socket in it may have 107 bytes in all.
  const dir = await mkdtemp(join(tmpdir(), `countersign-${name}-`));
  if (KEEP) console.log(`keeping ${dir}`);
  else note({ path: dir });
  return { dir, remove: () => removePath(dir) };
}

export async function removePath(path: string): Promise<void> {
  if (KEEP) return;
  // A process that was just ended may have had a write under way.
  await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  note({ pathRemoved: path });
}
