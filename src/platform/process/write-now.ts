// Writes to standard output or standard error before the next line runs. Node's own streams cost a short program several
// milliseconds to set up, a tenth of its life.

import { writeSync } from "node:fs";

export type StandardOutput = 1 | 2;

/** How often a reader that does not read is tried again; a pipe takes 64 KB at once, so one write is the rule. */
const MAX_ATTEMPTS = 10_000;
const PAUSE_MS = 1;

export function writeNow(output: StandardOutput, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  for (let attempt = 0; written < bytes.length && attempt < MAX_ATTEMPTS; attempt++) {
    try {
      written += writeSync(output, bytes, written);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE") return; // the reader went away; there is nobody left to tell
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
