// Secrets come from a file, from standard input or from the environment. A flag works too, because the documents that
// users follow show one, but every process on the machine can read a command line.

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Fault } from "../kernel/outcome/index.ts";
import type { CommandContext, CommandOption, OptionValues } from "./command.ts";
import { textOption } from "./options.ts";

export const TOKEN_OPTIONS: readonly CommandOption[] = [
  { flags: "--token-file <file>", description: "file that holds the bootstrap token, - for standard input" },
  { flags: "--token <token>", description: "the token itself; visible to other processes, prefer --token-file" },
];

const TOKEN_VARIABLE = "COUNTERSIGN_TOKEN";

export async function readToken(context: CommandContext, options: OptionValues): Promise<string | undefined> {
  const path = textOption(options, "tokenFile");
  if (path === undefined) return textOption(options, "token") ?? context.env[TOKEN_VARIABLE];
  try {
    const content = path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
    return content.trim();
  } catch (cause) {
    const { code: errno = "unknown" } = cause as NodeJS.ErrnoException;
    throw new Fault("io-failed", `cannot read the token from ${path}`, { cause, detail: { errno } });
  }
}
