// The process we run in: stop signals, environment, terminal. Read here once and handed down, so that everything else
// can be run in a test without touching the real one.

import { writeSync } from "node:fs";
import { type FaultCode, isFault } from "../../kernel/outcome/index.ts";

export interface ProcessEdge {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

export interface OutputStream {
  write(text: string): void;
  readonly isTty: boolean;
}

/** The second Ctrl-C means "now", without waiting for a clean end. */
const FORCED_EXIT_CODE = 130;

export function createProcessEdge(): ProcessEdge {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(FORCED_EXIT_CODE);
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // A reader that went away (`countersign … | head`) is not an accident.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", onBrokenPipe);
  return {
    env: process.env,
    stop: controller.signal,
    stdout: { write: (text) => void process.stdout.write(text), isTty: process.stdout.isTTY === true },
    stderr: { write: (text) => void process.stderr.write(text), isTty: process.stderr.isTTY === true },
  };
}

function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
}

// A program from its first step to its exit code: the message of a fault on standard error, with the program's name
// before it.

/**
 * As sysexits(3) has them: a wrong command line or file, a process that shall be started anew, an unexpected end.
 */
const EXIT_CONFIG = 78;
const EXIT_AGAIN = 75;
const EXIT_SOFTWARE = 70;

const EXIT_CODES: Readonly<Partial<Record<FaultCode, number>>> = {
  "bad-config": EXIT_CONFIG,
  "not-found": EXIT_CONFIG,
  malformed: EXIT_CONFIG,
  unsupported: EXIT_CONFIG,
  locked: EXIT_AGAIN,
};

export async function runCommand(
  program: string,
  { stderr }: Pick<ProcessEdge, "stderr">,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    stderr.write(`${program}: ${error.message}\n`);
    return EXIT_CODES[error.code] ?? EXIT_SOFTWARE;
  }
}

// Writes to standard output or standard error before the next line runs. Node's own streams cost a short program
// several milliseconds to set up, a tenth of its life.

type StandardOutput = 1 | 2;

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
      if (code === "EPIPE") return; // the reader went away
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

// The version that the programs print; a test holds it to package.json. A constant, because a program that is one file
// has no package.json beside it.

export const VERSION = "0.1.0";
