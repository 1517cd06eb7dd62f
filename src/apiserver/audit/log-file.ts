// The audit log on disk: JSON lines, appended in order, readable by the owner alone. Lines wait in memory while the
// disk is busy; when too many wait, the newest are counted as lost and that is reported, because a full disk must not
// stop the cluster. A file that has reached its size is put aside.

import { type FileHandle, open, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";

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

// An audit log that has reached its size is put aside under a name with the time, and old ones are removed. Names and
// rules are those of kube-apiserver (gopkg.in/natefinch/lumberjack.v2), so log collectors set up for it work here.

export interface AuditRotation {
  readonly maxBytes: number;
  /** How many old files are kept; 0: any number. */
  readonly maxBackups: number;
  /** The largest age of an old file; 0: any age. */
  readonly maxAgeMs: number;
}

/**
 * At most 1.1 GB, none of it older than a month: kube-apiserver keeps all, and its operators choose numbers like these.
 */
const DEFAULT_ROTATION: AuditRotation = {
  maxBytes: 100 * 1024 * 1024,
  maxBackups: 10,
  maxAgeMs: 30 * 24 * 3_600_000,
};

/** `audit.log` becomes `audit-2026-01-31T12-00-00.000.log`. */
function backupName(path: string, nowMs: number): string {
  const ending = extname(path);
  const time = new Date(nowMs).toISOString().replaceAll(":", "-").replace("Z", "");
  return join(dirname(path), `${basename(path, ending)}-${time}${ending}`);
}

/** When a file of this folder was put aside; undefined for files that are not of this log. */
function putAsideMs(path: string, file: string): number | undefined {
  const ending = extname(path);
  const prefix = `${basename(path, ending)}-`;
  if (!file.startsWith(prefix) || !file.endsWith(ending)) return undefined;
  const time = file.slice(prefix.length, file.length - ending.length);
  const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(time) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The files of a folder that are old ones of this log and too many or too old. */
export function outdated(path: string, files: readonly string[], options: AuditRotation & { nowMs: number }): string[] {
  const { maxBackups, maxAgeMs, nowMs } = options;
  const backups = files
    .map((file) => ({ file, ms: putAsideMs(path, file) }))
    .filter((one): one is { file: string; ms: number } => one.ms !== undefined)
    .sort((one, other) => other.ms - one.ms);
  return backups
    .filter(({ ms }, at) => (maxBackups > 0 && at >= maxBackups) || (maxAgeMs > 0 && nowMs - ms > maxAgeMs))
    .map(({ file }) => file);
}

/**
 * Puts the file aside; true also when another program, such as logrotate, has done so. Two within a millisecond would
 * have one name: the second waits for a later write.
 */
async function putAside(path: string, nowMs: number): Promise<boolean> {
  const backup = backupName(path, nowMs);
  if ((await readdir(dirname(path))).includes(basename(backup))) return false;
  try {
    await rename(path, backup);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
  return true;
}

async function removeOutdated(path: string, options: AuditRotation & { nowMs: number }): Promise<void> {
  for (const file of outdated(path, await readdir(dirname(path)), options)) await unlink(join(dirname(path), file));
}
