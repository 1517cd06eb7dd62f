// The cache on disk: private (0600), replaced in one step, by one process at a time. A reader needs no lock: it finds
// one whole state. The cache says which roots to trust, so it is read only from a directory that no other user can
// write.

import { dirname } from "node:path";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import {
  atomicWriteFile,
  ensureDirectory,
  loadText,
  requirePrivate,
  waitForLock,
} from "../../../platform/files/index.ts";
import { type CachedDiscovery, encodeCache, parseCache } from "./format.ts";

/** A refresh asks several servers, each of which may take ten seconds to be given up. */
const LOCK_LIMIT_MS = 60_000;

export interface DiscoveryCache {
  readonly path: string;
  /**
   * Undefined when there is none. Fault `malformed`, naming the file, when it is damaged; `bad-config` when other users
   * can write it.
   */
  load(): Promise<CachedDiscovery | undefined>;
  /** Only within `locked`. */
  save(found: CachedDiscovery): Promise<void>;
  /** Runs `act` while no other process does; the last one to come finds what the first one wrote. */
  locked<T>(
    act: () => Promise<T>,
    waiting: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
  ): Promise<T>;
}

export function createDiscoveryCache(path: string): DiscoveryCache {
  return {
    path,
    load: () => loadCache(path),
    save: async (found) => {
      await ensurePrivateDirectory(dirname(path));
      await atomicWriteFile(path, encodeCache(found), { mode: 0o600 });
    },
    locked: async (act, { clock, signal }) => {
      await ensurePrivateDirectory(dirname(path));
      const lock = await waitForLock(`${path}.lock`, { clock, signal, limitMs: LOCK_LIMIT_MS });
      try {
        return await act();
      } finally {
        await lock.release();
      }
    },
  };
}

async function ensurePrivateDirectory(directory: string): Promise<void> {
  await ensureDirectory(directory, 0o700);
  await requirePrivate(directory);
}

async function loadCache(path: string): Promise<CachedDiscovery | undefined> {
  try {
    const text = await loadText(path);
    await requirePrivate(dirname(path));
    return parseCache(text);
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    if (!isFault(error, "malformed") && !isFault(error, "limit-exceeded")) throw error;
    throw new Fault(error.code, `${path} cannot be used: ${error.message}; remove it and discover the cluster again`, {
      cause: error,
    });
  }
}
