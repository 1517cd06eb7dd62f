// A command is two declarations: its path and summary, which the program always knows (index.ts), and its options and
// action, which are loaded when it is called. Parsing, help, error rendering and signals live once, in program.ts.

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

export interface ListedCommand {
  /** `["node", "join"]` is `countersign node join`. */
  readonly path: readonly string[];
  readonly summary: string;
  load(): Promise<Command>;
}

export interface Command {
  readonly arguments?: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  readonly examples?: readonly string[];
  /** Resolves with the exit code. */
  run(context: CommandContext, input: CommandInput): Promise<number>;
}
