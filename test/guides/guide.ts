// The commands of a guide, as a reader copies them: the fenced blocks of a section, line by line, run by a shell as
// they stand.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programPath } from "../journeys/program.ts";
import { patient } from "../patience.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface GuideLine {
  /** As a shell runs it. */
  readonly command: string;
  /** What the guide says of it, behind the `#`. */
  readonly comment: string;
}

/** The lines of every fenced block under this heading; a heading without any is a mistake of the test. */
export function linesUnder(guide: string, heading: string): readonly GuideLine[] {
  const text = readFileSync(join(ROOT, guide), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const blocks = [...section.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.split("\n")).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new Error(`${guide} has no commands under "## ${heading}"`);
  return lines.map((line) => {
    const at = line.search(/\s+# /);
    return at < 0
      ? { command: line.trim(), comment: "" }
      : { command: line.slice(0, at).trim(), comment: line.slice(at).trim() };
  });
}

export interface Desk {
  /** Where the reader stands: a directory with the clone's `deploy/` and `docs/` in it. */
  readonly directory: string;
  /** What the guide's examples are here, such as an address: each is replaced wherever it stands. */
  readonly examples: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface Typed {
  readonly code: number;
  /** Both streams. */
  readonly text: string;
}

/** The built programs by name, and whatever else is given as name and path, as a directory for the PATH. */
export function linkPrograms(directory: string, others: Readonly<Record<string, string>>): string {
  const bin = join(directory, "bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, path] of Object.entries(others)) symlinkSync(path, join(bin, name));
  for (const name of OWN_PROGRAMS) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${programPath(name)}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  symlinkSync(join(ROOT, "deploy"), join(directory, "deploy"));
  return bin;
}

const OWN_PROGRAMS = ["countersign", "node-attestation-controller", "kubelet-authenticator-tpm"] as const;

export function withExamples(command: string, { examples }: Pick<Desk, "examples">): string {
  return Object.entries(examples).reduce((line, [example, here]) => line.replaceAll(example, here), command);
}

const TYPED_LIMIT_MS = patient(60_000);

export function type(desk: Desk, command: string): Promise<Typed> {
  return new Promise((resolve) => {
    const options = { cwd: desk.directory, env: { ...process.env, ...desk.env }, timeout: TYPED_LIMIT_MS };
    execFile("sh", ["-c", withExamples(command, desk)], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr });
    });
  });
}

/** Types the lines one after the other; the first that fails is an error with what it printed. */
export async function follow(desk: Desk, lines: readonly GuideLine[]): Promise<readonly Typed[]> {
  const typed: Typed[] = [];
  for (const { command } of lines) {
    const answer = await type(desk, command);
    if (answer.code !== 0) throw new Error(`${command}\nended with ${answer.code}:\n${answer.text}`);
    typed.push(answer);
  }
  return typed;
}
