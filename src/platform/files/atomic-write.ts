// A file changes in one step: a reader, now or after a crash at any moment, finds all of the old content or all
// of the new. Written beside, synced, read back, renamed, and the directory synced; when the promise resolves, it
// stays.

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

interface WriteOptions {
  /** Exactly these bits, whatever the umask. 0o600 for anything with a key in it. */
  readonly mode: number;
  readonly fileSystem?: FileSystem | undefined;
}

export async function atomicWriteFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const { mode, fileSystem = nodeFileSystem } = options;
  const bytes = Buffer.from(content);
  const temporary = temporaryPath(path);
  try {
    await fileSystem.create(temporary, bytes, mode);
    await fileSystem.sync(temporary);
    const written = await fileSystem.read(temporary);
    if (!written.equals(bytes)) throw new Fault("io-failed", `${temporary} does not hold what was written to it`);
    await fileSystem.rename(temporary, path);
  } catch (failure) {
    await removeIfPresent(temporary, fileSystem);
    throw failure;
  }
  await fileSystem.sync(dirname(path));
}

/**
 * Removes what writes of `path` left behind when a process died in the middle. Only for the holder of a lock that
 * covers the file: another writer's file in progress looks the same.
 */
export async function removeLeftovers(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<void> {
  const directory = dirname(path);
  const prefix = `.${basename(path)}.`;
  for (const name of await fileSystem.list(directory)) {
    if (name.startsWith(prefix) && name.endsWith(TEMPORARY_END))
      await removeIfPresent(join(directory, name), fileSystem);
  }
}

/** Missing parents are made too, all with this mode; one that exists keeps its own. */
export async function ensureDirectory(
  path: string,
  mode: number,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<void> {
  try {
    await makeOrFind(path, mode, fileSystem);
  } catch (failure) {
    if (!isFault(failure, "not-found") || dirname(path) === path) throw failure;
    await ensureDirectory(dirname(path), mode, fileSystem);
    await makeInside(path, mode, fileSystem);
  }
}

/** /proc says "no such file" of everything that is to be made in it, though it is there itself. */
async function makeInside(path: string, mode: number, fileSystem: FileSystem): Promise<void> {
  try {
    await makeOrFind(path, mode, fileSystem);
  } catch (cause) {
    if (!isFault(cause, "not-found")) throw cause;
    throw new Fault("bad-config", `${path} cannot be a directory: ${dirname(path)} takes none`, { cause });
  }
}

async function makeOrFind(path: string, mode: number, fileSystem: FileSystem): Promise<void> {
  try {
    await fileSystem.makeDirectory(path, mode);
  } catch (failure) {
    if (!isFault(failure, "already-exists")) throw failure;
    await fileSystem.list(path); // a file of that name is no directory, and says so here
    return;
  }
  await fileSystem.sync(dirname(path));
}

const TEMPORARY_END = ".tmp";

/** Beside the file, because a rename is one step only within a file system; hidden, because it may be left behind. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}${TEMPORARY_END}`);
}

export async function removeIfPresent(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<void> {
  try {
    await fileSystem.remove(path);
  } catch (failure) {
    if (!isFault(failure, "not-found")) throw failure;
  }
}

// Directories that hold keys, roots of trust, or commands that a kubelet will run as root.

/** A process that can write here can plant a key or a link; the files' own modes do not help then. */
export async function requirePrivate(directory: string): Promise<void> {
  const { mode, uid } = await stat(directory);
  const own = process.getuid?.();
  const isOurs = own === undefined || uid === own || uid === 0;
  if (isOurs && (mode & 0o022) === 0) return;
  throw new Fault(
    "bad-config",
    `directory ${directory} belongs to or can be written by others (uid ${uid}, mode ${(mode & 0o777).toString(8)}); ` +
      "keys and roots of trust need one that only their owner can write",
  );
}
