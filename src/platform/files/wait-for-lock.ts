// Waiting for a lock that another process holds: many plugins may be called at once; the first asks for the certificate, the
// others wait here and then find it on disk.

import { assert, Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";
import { acquireLock, type Lock } from "./lock.ts";

/** The holder waits for a signer, which takes tens of milliseconds at best. */
const LOOK_AGAIN_MS = 100;

export interface LockWait {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function waitForLock(path: string, wait: LockWait): Promise<Lock> {
  const lock = await waitForLockUnless(() => false, path, wait);
  assert(lock !== undefined, "a wait that nothing ends comes back with the lock");
  return lock;
}

/**
 * Undefined when, after some waiting, `isDone` holds: another process did what the lock was wanted for. Of two hundred that
 * wait, none then takes the lock only to find that out.
 */
export async function waitForLockUnless(
  isDone: () => boolean,
  path: string,
  { clock, limitMs, signal }: LockWait,
): Promise<Lock | undefined> {
  const deadlineMs = clock.now() + limitMs;
  for (let attempt = 0; attempt === 0 || !isDone(); attempt++) {
    try {
      return await acquireLock(path);
    } catch (error) {
      if (!isFault(error, "locked") || !error.retryable) throw error;
      if (clock.now() >= deadlineMs) {
        const seconds = Math.round(limitMs / 1_000);
        throw new Fault("timeout", `another process has held ${path} for ${seconds} s`, { cause: error });
      }
    }
    await clock.sleep(LOOK_AGAIN_MS, signal);
  }
  return undefined;
}
