// The audit log on disk: JSON lines, appended in order, readable by the owner alone. Lines wait in memory while the disk is
// busy; when too many wait, the newest are counted as lost and that is said, because a full disk must not stop the cluster.

import { open } from "node:fs/promises";
import { Fault } from "../../kernel/outcome/index.ts";

/** Some ten thousand lines. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export interface AuditLogFile {
  write(line: string): void;
  /** Writes what waits, then closes. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly path: string;
  /** Lines were lost, or the disk refused them. */
  readonly onTrouble: (lostLines: number, cause: unknown) => void;
}

export async function openAuditLog({ path, onTrouble }: AuditLogOptions): Promise<AuditLogFile> {
  const file = await openForAppend(path);
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let writing: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      [waiting, waitingBytes] = [[], 0];
      try {
        await file.appendFile(batch.join(""));
      } catch (cause) {
        onTrouble(batch.length, cause);
      }
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

async function openForAppend(path: string) {
  try {
    return await open(path, "a", 0o600);
  } catch (cause) {
    throw new Fault("io-failed", `cannot open the audit log ${path}`, { cause });
  }
}
