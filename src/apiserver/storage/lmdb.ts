// Durable storage: objects in one lmdb file under a directory that belongs to one process at a time.

import { chmodSync, closeSync, fsyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../../kernel/outcome/index.ts";
import { acquireLock, ensureDirectory } from "../../platform/files/index.ts";
import { createEngine, FIRST_REVISION } from "./engine.ts";
import type { HistoryLimits } from "./history.ts";
import { openLmdbJournal } from "./lmdb-journal.ts";
import type { Storage } from "./storage.ts";

interface LmdbStorageOptions {
  /** Created when missing; kept at mode 0700. */
  readonly directory: string;
  readonly historyLimits?: HistoryLimits | undefined;
}

const DIRECTORY_MODE = 0o700;

/**
 * Fault `locked` when another process has the directory, `io-failed`, `malformed` or `unsupported` when it cannot be
 * read.
 */
export async function openLmdbStorage({ directory, historyLimits }: LmdbStorageOptions): Promise<Storage> {
  await prepareDirectory(directory);
  const lock = await acquireLock(join(directory, "lock"));
  try {
    const { journal, revision, rows } = await openLmdbJournal(directory, FIRST_REVISION);
    syncDirectory(directory);
    const close = async () => {
      await journal.close();
      await lock.release();
    };
    return createEngine({ journal: { ...journal, close }, revision, rows, historyLimits });
  } catch (cause) {
    await lock.release();
    throw cause;
  }
}

async function prepareDirectory(directory: string): Promise<void> {
  await ensureDirectory(directory, DIRECTORY_MODE);
  try {
    chmodSync(directory, DIRECTORY_MODE);
  } catch (cause) {
    throw new Fault("io-failed", `cannot prepare the data directory ${directory}`, { cause });
  }
}

/** The file's own flushes do not make its name durable: after a power cut a new file could be gone with all it held. */
function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
