// A command that runs to its end: kubectl, kubeadm.

import { spawn } from "node:child_process";
import { patient } from "../../patience.ts";

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly limitMs?: number;
  /** What it says, as it says it: for a command that takes minutes. */
  readonly onStdout?: (text: string) => void;
}

const DEFAULT_LIMIT_MS = 60_000;

/** A failure of the command is a result; only a command that cannot be started, or does not end, is an error. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const limitMs = patient(options.limitMs ?? DEFAULT_LIMIT_MS);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...process.env, ...options.env },
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => {
      stdout.push(chunk);
      options.onStdout?.(chunk.toString("utf8"));
    });
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const result = { stdout: text(stdout), stderr: text(stderr), code: code ?? -1 };
      if (signal === null) resolve(result);
      else
        reject(new Error(`${file} ${args.join(" ")} was ended by ${signal} (limit ${limitMs} ms)\n${result.stderr}`));
    });
    child.stdin.on("error", () => undefined); // a command may end without reading its input
    child.stdin.end(options.input);
  });
}

export async function runCommandOk(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const result = await runCommand(file, args, options);
  if (result.code === 0) return result;
  throw new Error(`${file} ${args.join(" ")} ended with ${result.code}\n${result.stdout}${result.stderr}`);
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
