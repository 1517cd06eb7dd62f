// A growing file of lines, read from where the last look ended: a trail of a year is read once, not twice a second. A
// rotated file is read to its end before the new one; a truncated one, also if it was rewritten past the old end
// meanwhile, from its beginning.

import { type FileHandle, open, stat } from "node:fs/promises";
import { Fault } from "../../../kernel/outcome/index.ts";

export interface LineFollower {
  /** Whole lines since the last look. A line whose end is not written yet comes with a later look. */
  look(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const BLOCK_OCTETS = 65_536;
/** No line of a trail is a hundredth of this: a file without line ends is not read into memory. */
const MAX_LINE_OCTETS = 1_048_576;
/** So much of what was read last is compared before reading on. */
const WITNESS_OCTETS = 256;
const NEWLINE = 0x0a;

/** Begins with the last `count` lines. Fault `io-failed` when the file cannot be read. */
export async function followLines(path: string, count: number): Promise<LineFollower> {
  let file = await openFile(path);
  let reader = createReader(file, await startOfLast(file, count));
  return {
    look: async () => {
      const lines = [...(await reader.read())];
      const next = await openNext(path, file);
      if (next === undefined) return lines;
      // What was written to the old one between the look and its replacement.
      lines.push(...(await reader.read()));
      await file.close();
      file = next;
      reader = createReader(file, 0);
      return [...lines, ...(await reader.read())];
    },
    close: () => file.close(),
  };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, "r");
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (cause) {
    throw new Fault("io-failed", `cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
  // A folder or a pipe can be opened, too, and not be read from a place in it.
  throw new Fault("io-failed", `cannot read ${path}: it is no file`);
}

/** Another file under the same name. While there is none, the old one is all there is. */
async function openNext(path: string, file: FileHandle): Promise<FileHandle | undefined> {
  try {
    const [present, own] = await Promise.all([stat(path), file.stat()]);
    return present.ino === own.ino && present.dev === own.dev ? undefined : await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Fault("io-failed", `cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, { cause: error });
  }
}

function createReader(file: FileHandle, start: number): { read(): Promise<readonly string[]> } {
  let offset = start;
  let rest = Buffer.alloc(0);
  /** The octets before `offset`, as they were read. */
  let witness = Buffer.alloc(0);

  async function beginAnewIfCut(): Promise<void> {
    const { size } = await file.stat();
    if (size >= offset) {
      const again = await readAt(file, offset - witness.length, witness.length);
      if (again.equals(witness)) return;
    }
    offset = 0;
    rest = Buffer.alloc(0);
    witness = Buffer.alloc(0);
  }

  return {
    read: async () => {
      await beginAnewIfCut();
      const lines: string[] = [];
      for (;;) {
        const block = await readAt(file, offset, BLOCK_OCTETS);
        if (block.length === 0) return lines;
        offset += block.length;
        witness = Buffer.concat([witness, block]).subarray(-WITNESS_OCTETS);
        const all = Buffer.concat([rest, block]);
        const end = all.lastIndexOf(NEWLINE) + 1;
        rest = Buffer.from(all.subarray(end));
        if (rest.length > MAX_LINE_OCTETS) throw new Fault("limit-exceeded", "a line is longer than any of a trail");
        if (end > 0) lines.push(...all.toString("utf8", 0, end - 1).split("\n"));
      }
    },
  };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Block by block from the end: where the last `count` lines begin. */
async function startOfLast(file: FileHandle, count: number): Promise<number> {
  const { size } = await file.stat();
  let ends = 0;
  for (let end = size; end > 0; end -= Math.min(end, BLOCK_OCTETS)) {
    const start = Math.max(0, end - BLOCK_OCTETS);
    const block = await readAt(file, start, end - start);
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      // The end of the last line is no beginning of a further one; so count + 1 ends enclose count lines.
      if (ends++ === count) return start + at + 1;
    }
  }
  return 0;
}
