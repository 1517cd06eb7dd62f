// The flags of a program without commands, as one table: parser, types of the values and help all come from it.
// node:util's parser does the reading, with our fault for what it refuses.

import { parseArgs } from "node:util";
import { Fault } from "../../kernel/outcome/index.ts";

interface Flag {
  /** As help shows it: `--name` is a switch, `--name VALUE` takes a value. */
  readonly flag: `--${string}`;
  readonly help: string;
  readonly short?: string;
  readonly multiple?: true;
  /** As text, parsed like a given one. */
  readonly default?: string;
  /** Fault `bad-config` that names the flag. Without it, the value is the text. */
  readonly parse?: (text: string, flag: string) => unknown;
  /** The flag's earlier name: still taken, with a warning. */
  readonly formerly?: `--${string}`;
  /** Begins a paragraph of the help. */
  readonly opensParagraph?: true;
}

export type FlagTable = Readonly<Record<string, Flag>>;

type ValueOf<F> = F extends { parse: (...args: never[]) => infer Value } ? Value : string;

/** Property names are those of the table. */
export type FlagValues<T extends FlagTable> = {
  readonly [K in keyof T]: T[K] extends { multiple: true }
    ? readonly ValueOf<T[K]>[]
    : T[K] extends { flag: `${string}${" " | "="}${string}` }
      ? ValueOf<T[K]> | (T[K] extends { default: string } ? never : undefined)
      : boolean;
};

interface ReadFlags<T extends FlagTable> {
  readonly values: FlagValues<T>;
  readonly warnings: readonly string[];
}

const HELP = { help: { type: "boolean", short: "h" }, version: { type: "boolean" } } as const;

/** Fault `bad-config` for an unknown flag, a missing value, an argument of no flag, or a value that does not parse. */
export function readFlags<const T extends FlagTable>(
  args: readonly string[],
  table: T,
): ReadFlags<T> | "help" | "version" {
  const given = parseTexts(args, table);
  if (given["help"] === true) return "help";
  if (given["version"] === true) return "version";
  const values = Object.entries(table).map(([key, flag]) => [key, readValue(flag, given)]);
  const warnings = Object.values(table).flatMap(({ flag, formerly }) =>
    formerly === undefined || given[nameOf(formerly)] === undefined
      ? []
      : [`${formerly} is now --${nameOf(flag)}; the old name will go`],
  );
  return { values: Object.fromEntries(values) as FlagValues<T>, warnings };
}

type Given = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function parseTexts(args: readonly string[], table: FlagTable): Given {
  const options = Object.values(table).flatMap(({ flag, formerly, short, multiple = false }) => {
    const option = { type: takesValue(flag) ? ("string" as const) : ("boolean" as const), multiple };
    const former = formerly === undefined ? [] : [[nameOf(formerly), option] as const];
    return [[nameOf(flag), short === undefined ? option : { ...option, short }] as const, ...former];
  });
  try {
    return parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), ...HELP },
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "not understood";
    throw new Fault("bad-config", `command line: ${why}`, { cause });
  }
}

function readValue({ flag, formerly, multiple, default: usual, parse }: Flag, given: Given): unknown {
  const name = nameOf(flag);
  const texts = [given[name], formerly === undefined ? undefined : given[nameOf(formerly)]].flat();
  if (!takesValue(flag)) return texts.includes(true);
  const [first = usual, ...others] = texts.filter((text) => typeof text === "string");
  const read = (text: string) => (parse === undefined ? text : parse(text, `--${name}`));
  if (first === undefined) return multiple ? [] : undefined;
  return multiple ? [first, ...others].map(read) : read(first);
}

function nameOf(flag: string): string {
  return /^--([a-z-]+)/.exec(flag)?.[1] ?? "";
}

function takesValue(flag: string): boolean {
  return flag.length > `--${nameOf(flag)}`.length;
}

/** Earlier names included. */
export function flagNames(table: FlagTable): readonly string[] {
  const flags = Object.values(table).flatMap(({ flag, formerly = [] }) => [flag].concat(formerly));
  return [...flags.map(nameOf), ...Object.keys(HELP)];
}

const COLUMNS = 120;

/** Two columns, the second wrapped. A flag that is wider than its column pushes its first line to the right. */
export function describeFlags(table: FlagTable, flagColumns: number): string {
  const indent = " ".repeat(flagColumns + 3);
  const entries = Object.values(table).map(({ flag, help, formerly, opensParagraph }) => {
    const text = formerly === undefined ? help : `${help} (formerly ${formerly})`;
    const start = `  ${flag.padEnd(flagColumns)} ${flag.length >= flagColumns ? " " : ""}`;
    return `${opensParagraph ? "\n" : ""}${wrap(text.split(" "), start, indent)}\n`;
  });
  return `${entries.join("")}  --help, --version\n`;
}

function wrap([first = "", ...words]: readonly string[], start: string, indent: string): string {
  let line = start + first;
  const lines: string[] = [];
  for (const word of words) {
    if (line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = indent + word;
    } else line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}
