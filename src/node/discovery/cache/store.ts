// The cache on disk: private (0600), changed in one step, by one process at a time. A reader needs no lock: it finds the
// whole of one state or of the next.

import { dirname } from "node:path";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import {
  acquireLock,
  atomicWriteFile,
  ensureDirectory,
  type Lock,
  nodeFileSystem,
} from "../../../platform/files/index.ts";
import { type CachedDiscovery, encodeCache, parseCache } from "./format.ts";

/** A refresh asks several servers, each of which may take ten seconds to be given up. */
const LOCK_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 100;

export interface DiscoveryCache {
  readonly path: string;
  /** Undefined when there is none. Fault `malformed`, naming the file, when it is damaged. */
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
      await ensureDirectory(dirname(path), 0o700);
      await atomicWriteFile(path, encodeCache(found), { mode: 0o600 });
    },
    locked: async (act, { clock, signal }) => {
      await ensureDirectory(dirname(path), 0o700);
      const lock = await waitForLock(`${path}.lock`, clock, signal);
      try {
        return await act();
      } finally {
        await lock.release();
      }
    },
  };
}

async function loadCache(path: string): Promise<CachedDiscovery | undefined> {
  try {
    return parseCache((await nodeFileSystem.read(path)).toString("utf8"));
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    if (!isFault(error, "malformed") && !isFault(error, "limit-exceeded")) throw error;
    throw new Fault(error.code, `${path} cannot be used: ${error.message}; remove it and discover the cluster again`, {
      cause: error,
    });
  }
}

async function waitForLock(path: string, clock: Clock, signal: AbortSignal | undefined): Promise<Lock> {
  const deadlineMs = clock.now() + LOCK_LIMIT_MS;
  for (;;) {
    try {
      return await acquireLock(path);
    } catch (error) {
      if (!isFault(error, "locked") || clock.now() >= deadlineMs) throw error;
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
}
