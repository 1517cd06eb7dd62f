// The lines of audit files: read piece by piece, because a trail of a year does not fit into memory, and printed.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { AuditLine } from "../../../controller/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { CommandContext } from "../../command.ts";
import { plainText } from "../../terminal/index.ts";

export async function* readLines(paths: readonly string[]): AsyncGenerator<string, void, void> {
  for (const path of paths) {
    try {
      yield* createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
    } catch (cause) {
      throw new Fault("io-failed", `cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, { cause });
    }
  }
}

/** Printed first, in this order; other fields follow as they are. */
const FIRST = ["verdict", "csr", "subject", "signer", "requester", "rule", "reason", "why"];
const EVENT_WIDTH = 26;

export function printLine({ terminal }: CommandContext, line: AuditLine): void {
  const known = FIRST.filter((name) => line.fields[name] !== undefined);
  const rest = Object.keys(line.fields).filter((name) => !FIRST.includes(name));
  const fields = [...known, ...rest].map((name) => `${name}=${textOf(line.fields[name])}`).join(" ");
  terminal.out(`${line.time} ${plainText(line.event).padEnd(EVENT_WIDTH)} ${plainText(fields)}\n`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
