// A file whose content matters while the process runs: read again every second, told when it has changed. Looking beats
// being notified: a notification is lost when the file is away for a moment, and never comes when a symbolic link is
// turned to another directory, which is how Kubernetes updates mounted files.

import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../clock/index.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";

const INTERVAL_MS = 1_000;

interface FollowOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The whole new content. A Fault that it throws is told as trouble, and the same content is not offered again. */
  readonly onChange: (content: string) => void;
  readonly onTrouble: (trouble: Fault) => void;
  readonly fileSystem?: Pick<FileSystem, "read"> | undefined;
}

/** Runs until the signal fires. `known` is the content that the caller has already used. */
export async function followFile(path: string, known: string, options: FollowOptions): Promise<void> {
  const { clock, signal, fileSystem = nodeFileSystem } = options;
  let seen = known;
  try {
    for (;;) {
      await clock.sleep(INTERVAL_MS, signal);
      const content = await readNow(path, fileSystem);
      if (content === undefined || content === seen) continue;
      seen = content;
      offer(content, options);
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

/** A file that is away for a moment is being replaced. */
async function readNow(path: string, fileSystem: Pick<FileSystem, "read">): Promise<string | undefined> {
  try {
    return (await fileSystem.read(path)).toString("utf8");
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function offer(content: string, { onChange, onTrouble }: FollowOptions): void {
  try {
    onChange(content);
  } catch (error) {
    if (!isFault(error)) throw error;
    onTrouble(error);
  }
}

// A whole file as text. Faults name the file and why it cannot be read.

/** Fault `not-found` or `io-failed`. */
export async function loadText(path: string): Promise<string> {
  return (await nodeFileSystem.read(path)).toString("utf8");
}

export async function loadTextIfPresent(path: string): Promise<string | undefined> {
  try {
    return await loadText(path);
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
