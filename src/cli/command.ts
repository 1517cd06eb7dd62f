// A command is a declaration: where it stands, what it says of itself, what it takes, what it does. Parsing, help, error
// rendering and signals live once, in program.ts.

import type { Clock } from "../platform/clock/index.ts";
import type { Terminal } from "./terminal/index.ts";

export interface CommandOption {
  /** Commander's form: `--port <number>`, `--exit-when-done`. */
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
  readonly required?: boolean;
  /** May be given several times, one value each: unlike `<value...>` it leaves the arguments behind it alone. */
  readonly repeatable?: boolean;
}

export interface CommandArgument {
  /** `<name>` when needed, `[name]` when not. */
  readonly name: string;
  readonly description: string;
}

export interface CommandContext {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandInput {
  readonly options: OptionValues;
  readonly args: readonly string[];
}

export interface Command {
  /** `["node", "join"]` is `countersign node join`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  readonly examples?: readonly string[];
  /** Resolves with the exit code. */
  run(context: CommandContext, input: CommandInput): Promise<number>;
}
