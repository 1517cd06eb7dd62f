// The few operations on disk that durable state is made of, one system call or nearly so each: a test can stop after
// any of them and look at what a crash there would leave. Failures are Faults: `not-found`, `already-exists`, else
// `io-failed`.

import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { Fault, type FaultCode } from "../../kernel/outcome/index.ts";

export interface FileSystem {
  /**
   * Makes a file that must not exist yet, with exactly this mode. Not durable before `sync` of it and of its directory.
   */
  create(path: string, content: Uint8Array, mode: number): Promise<void>;
  read(path: string): Promise<Buffer>;
  /** Puts a file's content, or a directory's entries, onto the disk. */
  sync(path: string): Promise<void>;
  /** Replaces `to` if it exists. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for one file; `to` must not exist. */
  link(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  readLink(path: string): Promise<string>;
  remove(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
  /** `already-exists` also when something else has the name. */
  makeDirectory(path: string, mode: number): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  create: (path, content, mode) =>
    named("create", path, async () => {
      const file = await fs.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
      try {
        await file.chmod(mode); // the umask may have taken bits away
        await file.writeFile(content);
      } catch (failure) {
        await fs.rm(path, { force: true }); // a disk that is full makes the file and not its content
        throw failure;
      } finally {
        await file.close();
      }
    }),
  read: (path) => named("read", path, () => fs.readFile(path)),
  sync: (path) =>
    named("sync", path, async () => {
      const file = await fs.open(path, constants.O_RDONLY);
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    }),
  rename: (from, to) => named("rename", from, () => fs.rename(from, to)),
  link: (from, to) => named("link", to, () => fs.link(from, to)),
  symlink: (target, path) => named("link", path, () => fs.symlink(target, path)),
  readLink: (path) => named("read", path, () => fs.readlink(path)),
  remove: (path) => named("remove", path, () => fs.unlink(path)),
  list: (directory) => named("list", directory, () => fs.readdir(directory)),
  makeDirectory: (path, mode) => named("create", path, () => fs.mkdir(path, { mode })),
};

const BY_ERRNO: Readonly<Record<string, FaultCode>> = { ENOENT: "not-found", EEXIST: "already-exists" };

/** Codes that need an explanation. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the quota is used up",
  EIO: "the disk reports an error",
  ENOSPC: "no space is left on the device",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
};

async function named<T>(operation: string, path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    const errno = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const words = WORDS[errno] === undefined ? errno : `${WORDS[errno]} (${errno})`;
    throw new Fault(BY_ERRNO[errno] ?? "io-failed", `cannot ${operation} ${path}: ${words}`, {
      cause,
      detail: { errno },
    });
  }
}
