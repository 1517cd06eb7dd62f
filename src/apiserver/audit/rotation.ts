// An audit log that has reached its size is put aside under a name with the time, and old ones are removed. Names and
// rules are those of kube-apiserver (gopkg.in/natefinch/lumberjack.v2), so log collectors set up for it work here.

import { readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";

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
export const DEFAULT_ROTATION: AuditRotation = {
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
export async function putAside(path: string, nowMs: number): Promise<boolean> {
  const backup = backupName(path, nowMs);
  if ((await readdir(dirname(path))).includes(basename(backup))) return false;
  try {
    await rename(path, backup);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
  return true;
}

export async function removeOutdated(path: string, options: AuditRotation & { nowMs: number }): Promise<void> {
  for (const file of outdated(path, await readdir(dirname(path)), options)) await unlink(join(dirname(path), file));
}
