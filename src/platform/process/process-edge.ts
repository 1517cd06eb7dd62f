// The process we run in: stop signals, environment, terminal. Read here once and handed down, so that everything else
// can be run in a test without touching the real one.

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

/** The second Ctrl-C means "now": whoever presses it twice does not want to wait for a clean end. */
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
