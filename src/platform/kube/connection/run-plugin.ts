// One run of a credential plugin, as client-go runs it: the caller's environment, the plugin's own on top, the question in
// KUBERNETES_EXEC_INFO, its stderr to ours, its stdout for the answer. differs from upstream: the run has a time limit and its
// answer a size, because a plugin that hangs would stop every request of the process without a word.

import { spawn } from "node:child_process";
import { Fault } from "../../../kernel/outcome/index.ts";

/** A plugin may have to reach a cloud; a person at a browser is not waited for, stdin is closed. */
const RUN_LIMIT_MS = 60_000;
/** A chain of certificates and a key are some 10 KB. */
const OUTPUT_MAX_BYTES = 1_048_576;

export interface PluginRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shown when the command is not there. */
  readonly installHint?: string | undefined;
}

export async function runPlugin({ command, args, env, installHint }: PluginRun): Promise<string> {
  const child = spawn(command, args, { env: { ...env }, stdio: ["ignore", "pipe", "inherit"], timeout: RUN_LIMIT_MS });
  const pieces: Buffer[] = [];
  let length = 0;
  child.stdout.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length > OUTPUT_MAX_BYTES) child.kill("SIGKILL");
    else pieces.push(piece);
  });
  const ending = await new Promise<{ code: number | null; cause?: Error }>((resolve) => {
    child.once("error", (cause) => resolve({ code: null, cause }));
    child.once("close", (code) => resolve({ code }));
  });
  if (length > OUTPUT_MAX_BYTES) {
    throw new Fault("limit-exceeded", `the credential plugin ${command} wrote more than ${OUTPUT_MAX_BYTES} bytes`);
  }
  if (ending.code === 0) return Buffer.concat(pieces, length).toString("utf8");
  throw failureOf(command, ending, installHint);
}

function failureOf(command: string, { code, cause }: { code: number | null; cause?: Error }, hint?: string): Fault {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") {
    const help = hint === undefined || hint === "" ? "" : `; ${hint}`;
    return new Fault("bad-config", `exec: executable ${command} not found${help}`, { cause });
  }
  // It may be that what the plugin needs is away for a moment.
  const how = code === null ? "did not end by itself" : `failed with exit code ${code}`;
  return new Fault("unavailable", `exec: executable ${command} ${how}`, { cause });
}
