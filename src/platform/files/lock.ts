// One process at a time, by a lock file that names its holder. A holder that died loses the lock to the next process
// that asks.
//
//   free  --link(2) of a complete file: exclusive, never half written-->  held
//   held by a living process  -->  Fault `locked`
//   held by a dead one        -->  lock `<path>.takeover` (the same way), look again, rename our file over it
//
// Only the holder of the takeover lock replaces a dead holder's file, so two takers cannot both win. It tells processes
// of one machine apart; containers that share the directory but not their process ids must not share the lock.

import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { assert, Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";
import { removeIfPresent, temporaryPath } from "./atomic-write.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { type Processes, systemProcesses } from "./processes.ts";

interface Lock {
  /** May be called twice. */
  release(): Promise<void>;
}

interface LockOptions {
  readonly fileSystem?: FileSystem | undefined;
  readonly processes?: Processes | undefined;
}

interface Holder {
  readonly pid: number;
  readonly started: string;
  /** Tells two locks of one process apart. */
  readonly nonce: string;
}

/** Each level is a process that died while it took over from the one before; two are not expected. */
const MAX_TAKEOVER_DEPTH = 4;

/**
 * A file that vanishes between our steps was released: try again, but not for ever against a process in a tight loop.
 */
const MAX_ATTEMPTS = 10;

export async function acquireLock(path: string, options: LockOptions = {}): Promise<Lock> {
  const { fileSystem = nodeFileSystem, processes = systemProcesses } = options;
  const started = (await processes.startOf(processes.pid)) ?? "unknown";
  const mine: Holder = { pid: processes.pid, started, nonce: randomUUID() };
  await takeLock({ path, mine, fileSystem, processes }, 0);
  return { release: () => releaseLock(path, mine, fileSystem) };
}

interface Claim {
  readonly path: string;
  readonly mine: Holder;
  readonly fileSystem: FileSystem;
  readonly processes: Processes;
}

/** Looks before it writes: of many that wait for one holder, none touches the disk. */
async function takeLock(claim: Claim, depth: number): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const holder = await readHolder(claim.path, claim.fileSystem);
    if (holder === undefined) {
      if (await takeFreeLock(claim)) return;
      continue;
    }
    if (depth >= MAX_TAKEOVER_DEPTH || (await isAlive(holder, claim.processes))) throw heldBy(claim.path, holder);
    if (await takeOver(claim, holder, depth)) return;
  }
  throw new Fault("locked", `lock ${claim.path} changes hands too fast`);
}

async function takeFreeLock({ path, mine, fileSystem }: Claim): Promise<boolean> {
  let temporary: string | undefined;
  try {
    temporary = await writeHolder(path, mine, fileSystem);
    await fileSystem.link(temporary, path);
  } catch (failure) {
    // Not there any more: another process got the lock and cleared what looked like the left-over of a dead process.
    if (isFault(failure, "already-exists") || isFault(failure, "not-found")) return false;
    throw failure;
  } finally {
    if (temporary !== undefined) await removeIfPresent(temporary, fileSystem);
  }
  return true;
}

async function takeOver(claim: Claim, dead: Holder, depth: number): Promise<boolean> {
  const { path, mine, fileSystem } = claim;
  const guard = `${path}.takeover`;
  await takeLock({ ...claim, path: guard }, depth + 1);
  try {
    const holder = await readHolder(path, fileSystem);
    if (holder?.nonce !== dead.nonce) return false;
    await fileSystem.rename(await writeHolder(path, mine, fileSystem), path);
    return true;
  } finally {
    await releaseLock(guard, mine, fileSystem);
  }
}

async function releaseLock(path: string, mine: Holder, fileSystem: FileSystem): Promise<void> {
  // Alive we are never taken over from, so what we read here cannot change before it is removed.
  if ((await readHolder(path, fileSystem))?.nonce === mine.nonce) await fileSystem.remove(path);
}

/** Synced, so that after a power failure the lock is whole or not there. */
async function writeHolder(path: string, holder: Holder, fileSystem: FileSystem): Promise<string> {
  const temporary = temporaryPath(path);
  await createBeside(path, () => fileSystem.create(temporary, Buffer.from(`${JSON.stringify(holder)}\n`), 0o600));
  await fileSystem.sync(temporary);
  await fileSystem.sync(dirname(path));
  return temporary;
}

/** Trying again would not help, unlike with a file that is not there any more. */
async function createBeside(path: string, create: () => Promise<void>): Promise<void> {
  try {
    await create();
  } catch (cause) {
    if (!isFault(cause, "not-found")) throw cause;
    throw new Fault("io-failed", `cannot lock ${path}: ${dirname(path)} is not there, or takes no files`, { cause });
  }
}

async function readHolder(path: string, fileSystem: FileSystem): Promise<Holder | undefined> {
  let text: string;
  try {
    text = (await fileSystem.read(path)).toString("utf8");
  } catch (failure) {
    if (isFault(failure, "not-found")) return undefined;
    throw failure;
  }
  return parseHolder(path, text);
}

function parseHolder(path: string, text: string): Holder {
  try {
    const { pid, started, nonce } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid === "number" && typeof started === "string" && typeof nonce === "string")
      return { pid, started, nonce };
  } catch (cause) {
    throw notALock(path, cause);
  }
  throw notALock(path);
}

function notALock(path: string, cause?: unknown): Fault {
  return new Fault("locked", `${path} is not a lock file of ours; remove it if nothing uses it`, {
    cause,
    retryable: false,
  });
}

async function isAlive(holder: Holder, processes: Processes): Promise<boolean> {
  return (await processes.startOf(holder.pid)) === holder.started;
}

function heldBy(path: string, holder: Holder): Fault {
  return new Fault("locked", `lock ${path} is held by process ${holder.pid}`, { detail: { path, pid: holder.pid } });
}

// Waiting for a lock that another process holds: many plugins may be called at once; the first asks for the
// certificate, the others wait here and then find it on disk.

/** The holder waits for a signer, which takes tens of milliseconds at best. */
const LOOK_AGAIN_MS = 100;

interface LockWait {
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
 * Undefined when, after some waiting, `isDone` holds: another process did what the lock was wanted for. Of two hundred
 * that wait, none then takes the lock only to find that out.
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
