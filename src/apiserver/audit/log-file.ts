// The audit log on disk: JSON lines, appended in order, readable by the owner alone. Lines wait in memory while the
// disk is busy; when too many wait, the newest are counted as lost and that is reported, because a full disk must not
// stop the cluster. A file that has reached its size is put aside (rotation.ts).

import { type FileHandle, open } from "node:fs/promises";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type AuditRotation, DEFAULT_ROTATION, putAside, removeOutdated } from "./rotation.ts";

/** Some ten thousand lines. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** How long to wait after a file could not be put aside: each attempt reads a folder, and each failure is reported. */
const RETRY_ROTATION_MS = 60_000;

export interface AuditLogFile {
  write(line: string): void;
  /** Writes what waits, then closes. */
  close(): Promise<void>;
}

interface AuditLogOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly rotation?: AuditRotation;
  /** Lines were lost, or the disk refused them; zero lines when only putting an old file aside failed. */
  readonly onTrouble: (lostLines: number, cause: unknown) => void;
}

export async function openAuditLog(options: AuditLogOptions): Promise<AuditLogFile> {
  const { onTrouble } = options;
  const file = await openRotated(options);
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      [waiting, waitingBytes] = [[], 0];
      await file.append(batch);
      if (lost > 0) onTrouble(lost, undefined);
      lost = 0;
    }
    writing = undefined;
  }

  return {
    write: (line) => {
      if (waitingBytes + line.length > MAX_WAITING_BYTES) {
        lost += 1;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      writing ??= drain();
    },
    close: async () => {
      await writing;
      await file.close();
    },
  };
}

interface RotatedFile {
  /** Never rejects: failures are reported to `onTrouble`. */
  append(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

async function openRotated({
  path,
  clock,
  onTrouble,
  rotation = DEFAULT_ROTATION,
}: AuditLogOptions): Promise<RotatedFile> {
  let file = await openForAppend(path);
  let { size } = await file.stat();
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  async function rotate(): Promise<void> {
    const nowMs = clock.now();
    if (nowMs < notBeforeMs) return;
    try {
      if (!(await putAside(path, nowMs))) return;
      const old = file;
      file = await openForAppend(path);
      size = 0;
      await old.close();
      await removeOutdated(path, { ...rotation, nowMs });
    } catch (cause) {
      notBeforeMs = nowMs + RETRY_ROTATION_MS;
      onTrouble(0, cause);
    }
  }

  return {
    append: async (lines) => {
      for (let rest = lines; rest.length > 0; ) {
        const part = rest.slice(0, Math.max(1, fitting(rest, rotation.maxBytes - size)));
        const bytes = Buffer.from(part.join(""));
        if (size > 0 && size + bytes.length > rotation.maxBytes) await rotate();
        try {
          await file.appendFile(bytes);
          size += bytes.length;
        } catch (cause) {
          onTrouble(part.length, cause);
        }
        rest = rest.slice(part.length);
      }
    },
    close: () => file.close(),
  };
}

/** How many of the lines there is room for. */
function fitting(lines: readonly string[], room: number): number {
  let left = room;
  const over = lines.findIndex((line) => {
    left -= Buffer.byteLength(line);
    return left < 0;
  });
  return over === -1 ? lines.length : over;
}

async function openForAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a", 0o600);
  } catch (cause) {
    throw new Fault("io-failed", `cannot open the audit log ${path}`, { cause });
  }
}
