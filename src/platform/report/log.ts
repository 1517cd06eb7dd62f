// What the product says while it works. The message comes first and never varies, so that it can be searched for; what
// varies goes into the fields. An error goes into the field `error`.

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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

function nothing(): void {
  // Deliberately silent.
}

export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLog,
};
