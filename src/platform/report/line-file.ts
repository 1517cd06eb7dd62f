// A file that only grows, line by line: for records that must outlive the process. A line is handed to the kernel
// before `append` returns, so a crash of the process loses none; `sync` makes them outlive a crash of the machine.

import { closeSync, constants, fstatSync, fsync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { Fault } from "../../kernel/outcome/index.ts";

interface LineFile {
  /** Fault `io-failed` when the disk does not take it. */
  append(line: string): void;
  sync(): Promise<void>;
  close(): Promise<void>;
}

const syncToDisk = promisify(fsync);
/** The decisions about nodes are for the owner of the file only. */
const MODE = 0o600;
const NEWLINE = 0x0a;

export function openLineFile(path: string): LineFile {
  const file = attempt("open", path, () =>
    openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, MODE),
  );
  attempt("repair", path, () => cutHalfLine(file));
  return {
    append: (line) => attempt("write", path, () => writeAll(file, Buffer.from(`${line}\n`))),
    sync: () => syncToDisk(file),
    close: async () => {
      await syncToDisk(file);
      closeSync(file);
    },
  };
}

/** A machine that lost its power may have left half a line; the next one must not be glued to it. */
function cutHalfLine(file: number): void {
  let { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  const wholeSize = size;
  while (size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE) size--;
  if (size < wholeSize) ftruncateSync(file, size);
}

function writeAll(file: number, bytes: Buffer): void {
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(file, bytes, sent);
}

function attempt<T>(operation: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw new Fault("io-failed", `cannot ${operation} ${path}: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}
