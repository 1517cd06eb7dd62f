// The list of commands becomes the `countersign` program: parsing and help by commander, one way to fail, one way to
// stop.

import { CommanderError, Command as Parser } from "commander";
import { systemClock } from "../platform/clock/index.ts";
import type { ProcessEdge } from "../platform/process/index.ts";
import type { Command, CommandContext, ListedCommand, OptionValues } from "./command.ts";
import { createTerminal, printFailure, type Terminal } from "./terminal/index.ts";

export interface Program {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** What the first part of `countersign node join` groups, in short. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly commands: readonly ListedCommand[];
}

/** Usage errors end with 64 (EX_USAGE), so that scripts can tell them from faults. */
const USAGE_EXIT = 64;

export async function runProgram(program: Program, argv: readonly string[], edge: ProcessEdge): Promise<number> {
  const terminal = createTerminal(edge);
  const context: CommandContext = { terminal, clock: systemClock, stop: edge.stop, env: edge.env };
  let exit = 0;
  const parser = createParser(program, terminal, async (command, options, args) => {
    exit = await command.run(context, { options, args });
  });
  try {
    await parser.parseAsync(helpAsOption(argv), { from: "user" });
    return exit;
  } catch (failure) {
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? 0 : USAGE_EXIT;
    return printFailure(terminal, failure, { debug: argv.includes("--debug") });
  }
}

type Invoke = (command: Command, options: OptionValues, args: readonly string[]) => Promise<void>;

function createParser(program: Program, terminal: Terminal, invoke: Invoke): Parser {
  const root = new Parser(program.name)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .description(program.summary)
    .version(program.version)
    .exitOverride()
    .showHelpAfterError("(--help shows what is possible)");
  const groups = new Map<string, Parser>();
  for (const listed of program.commands) {
    const [first = "", second] = listed.path;
    const parent =
      second === undefined ? root : groupOf(root, groups, { name: first, summary: program.groups?.[first] });
    addCommand(parent, listed, invoke);
  }
  return root;
}

/** `help node join` is `node join --help`: the way that loads the command before it is described. */
function helpAsOption(argv: readonly string[]): string[] {
  const at = argv.slice(0, 2).indexOf("help");
  return at === -1 ? [...argv] : [...argv.toSpliced(at, 1), "--help"];
}

function groupOf(
  root: Parser,
  groups: Map<string, Parser>,
  { name, summary = "" }: { readonly name: string; readonly summary: string | undefined },
): Parser {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const group = root.command(name).description(summary).exitOverride();
  groups.set(name, group);
  return group;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The list is enough for the program's help; the command itself is loaded once the parser has found it. */
function addCommand(parent: Parser, listed: ListedCommand, invoke: Invoke): void {
  const parser = parent
    .command(listed.path.at(-1) ?? "")
    .description(listed.summary)
    .exitOverride();
  parent.hook("preSubcommand", async (_parent, found) => {
    if (found === parser) declare(parser, await listed.load(), invoke);
  });
}

function declare(parser: Parser, command: Command, invoke: Invoke): void {
  for (const { name, description } of command.arguments ?? []) parser.argument(name, description);
  for (const option of command.options) {
    if (option.repeatable === true) parser.option(option.flags, option.description, collect);
    else if (option.required === true) parser.requiredOption(option.flags, option.description, option.default);
    else parser.option(option.flags, option.description, option.default);
  }
  parser.option("--debug", "show stacks of failures");
  if (command.examples !== undefined)
    parser.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  ${line}`).join("\n")}`);
  parser.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((value): value is string => typeof value === "string");
    await invoke(command, given.at(-2) as OptionValues, args);
  });
}
