// The flags of a program that has no commands: node:util's parser with our fault for what it refuses.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { Fault } from "../../kernel/outcome/index.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** What each flag has become: text, a switch, or a list of either. */
export type FlagValues<T extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; strict: true; allowPositionals: false }>
>["values"];

/** Fault `bad-config` for an unknown flag, a missing value, or a word that belongs to no flag. */
export function parseFlags<const T extends Options>(args: readonly string[], options: T): FlagValues<T> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "not understood";
    throw new Fault("bad-config", `command line: ${why}`, { cause });
  }
}
