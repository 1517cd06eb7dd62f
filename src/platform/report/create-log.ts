// The door to the writing log. The writer is loaded only when somebody asks for it: the exec plugin starts at every
// credential refresh and must not wait for a logging library.

import type { Log, LogLevel } from "./log.ts";

/** Where lines go; a line ends with its newline. */
export interface LogDestination {
  write(line: string): void;
}

export interface LogOptions {
  readonly level?: LogLevel | undefined;
  /** Default: standard error, so that standard output stays for results. */
  readonly destination?: LogDestination | undefined;
  /** `json`: one object a line, for machines. `text`: one sentence a line, for people. */
  readonly format?: "json" | "text" | undefined;
}

export async function createLog(options: LogOptions = {}): Promise<Log> {
  const { createPinoLog } = await import("./pino-log.ts");
  return createPinoLog(options);
}
