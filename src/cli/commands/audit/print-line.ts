// One line of the trail for a person: when, what, about whom, why.

import type { AuditLine } from "../../../controller/index.ts";
import type { CommandContext } from "../../command.ts";
import { plainText } from "../../terminal/index.ts";

/** Fields in the order in which people ask; what is not among them stands behind, as it is. */
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
