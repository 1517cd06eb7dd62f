// Terminal output: one line per event, colours only on a terminal; text of other clients must not steer the terminal.

import { type Fault, isFault } from "../../kernel/outcome/index.ts";
import type { OutputStream, ProcessEdge } from "../../platform/process/index.ts";
import { ADVICE, type Advice } from "./advice.ts";

export type Tone = "plain" | "faint" | "good" | "bad" | "strong";

export interface Terminal {
  /** Results: what a script may read. */
  out(text: string): void;
  /** Progress and trouble, for people. */
  err(text: string): void;
  paint(tone: Tone, text: string): string;
}

const CODES: Readonly<Record<Tone, string>> = { plain: "", faint: "2", good: "32", bad: "31", strong: "1" };

export function createTerminal(edge: Pick<ProcessEdge, "stdout" | "stderr" | "env">): Terminal {
  const colours = hasColours(edge.stdout, edge.env);
  return {
    out: (text) => edge.stdout.write(text),
    err: (text) => edge.stderr.write(text),
    paint: (tone, text) => (colours && tone !== "plain" ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text),
  };
}

function hasColours(stream: OutputStream, env: ProcessEdge["env"]): boolean {
  return stream.isTty && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** What happened, why, what to do. Returns the exit code. */
export function printFailure(terminal: Terminal, failure: unknown, options: { readonly debug: boolean }): number {
  if (!isFault(failure)) {
    const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
    terminal.err(`countersign: an unexpected failure\n${text}\n`);
    return ADVICE.internal.exit;
  }
  const { todo, exit } = adviceOn(failure);
  terminal.err(`${terminal.paint("bad", "failed")}  ${plainText(failure.message)}\n`);
  for (const why of causes(failure)) terminal.err(`why     ${plainText(why)}\n`);
  terminal.err(`do      ${plainText(todo)}   (${failure.code})\n`);
  if (options.debug) terminal.err(`${failure.stack ?? ""}\n`);
  return exit;
}

/** As the credential plugins: only an operator can help, and trying again soon is useless. */
const EXIT_OPERATOR = 3;

/** Of files there is nothing to list. */
const MISSING_FILE = "see that the file is there; the name may be mistyped";

/** The advice of the fault itself wins over that of its code. */
function adviceOn({ code, detail: { todo, next, name, errno } }: Fault): Advice {
  const general = errno === "ENOENT" ? { ...ADVICE[code], todo: MISSING_FILE } : ADVICE[code];
  const known = typeof name === "string" ? general.todo.replace(/\bNAME$/, () => name) : general.todo;
  return {
    todo: typeof todo === "string" ? todo : known,
    exit: next === "operator" ? EXIT_OPERATOR : general.exit,
  };
}

/** At most three: deeper ones are for --debug. A message that was printed before is not repeated. */
const SHOWN_CAUSES = 3;

function causes(failure: Error): string[] {
  const found: string[] = [];
  let said = failure.message;
  let next: unknown = failure.cause;
  while (next instanceof Error && found.length < SHOWN_CAUSES) {
    if (!said.includes(next.message)) found.push(next.message);
    said += `\n${next.message}`;
    next = next.cause;
  }
  return found;
}

/** Control characters, and the marks that turn the direction of writing around. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line, with every unsafe character spelled out. */
export function plainText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const GAP = "   ";

/** Columns under headings, as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(plainText));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const spaced = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP));
  return spaced.map((line) => `${line.trimEnd()}\n`).join("");
}
