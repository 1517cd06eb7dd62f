// One run of a credential plugin, as client-go runs it: the caller's environment, the plugin's own on top, the question
// in KUBERNETES_EXEC_INFO, its stderr to ours, its stdout for the answer. differs from upstream: the run has a time
// limit and its answer a size, because a plugin that hangs would stop every request of the process silently.

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { Fault } from "../../../kernel/outcome/index.ts";

/** A plugin may have to reach a cloud; a person at a browser is not waited for, stdin is closed. */
const RUN_LIMIT_MS = 60_000;
/** A chain of certificates and a key are some 10 KB. */
const OUTPUT_MAX_BYTES = 1_048_576;

interface PluginRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shown when the command is not there. */
  readonly installHint?: string | undefined;
  /** Default: a minute. */
  readonly limitMs?: number | undefined;
}

export async function runPlugin({ command, args, env, installHint, limitMs }: PluginRun): Promise<string> {
  const child = spawn(command, args, { env: { ...env }, stdio: ["ignore", "pipe", "inherit"] });
  const pieces: Buffer[] = [];
  let length = 0;
  // Neither a plugin that does not listen to SIGTERM nor a child of its own that keeps the pipe open is waited for.
  const giveUp = () => {
    child.kill("SIGKILL");
    child.stdout.destroy();
  };
  const limit = setTimeout(giveUp, limitMs ?? RUN_LIMIT_MS);
  child.stdout.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length > OUTPUT_MAX_BYTES) giveUp();
    else pieces.push(piece);
  });
  const ending = await new Promise<Ending>((resolve) => {
    child.once("error", (cause) => resolve({ code: null, cause }));
    child.once("close", (code) => resolve({ code: child.stdout.readableEnded ? code : null }));
  });
  clearTimeout(limit);
  if (length > OUTPUT_MAX_BYTES) {
    throw new Fault("limit-exceeded", `the credential plugin ${command} wrote more than ${OUTPUT_MAX_BYTES} bytes`);
  }
  if (ending.code === 0) return Buffer.concat(pieces, length).toString("utf8");
  throw failureOf(command, ending, installHint);
}

interface Ending {
  /** Null when it did not end by itself, or its answer did not. */
  readonly code: number | null;
  readonly cause?: Error;
}

function failureOf(command: string, { code, cause }: Ending, hint?: string): Fault {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") {
    const help = hint === undefined || hint === "" ? "" : `; ${hint}`;
    return new Fault("bad-config", `exec: executable ${command} not found${help}`, { cause });
  }
  // It may be that what the plugin needs is away for a moment.
  const how = code === null ? "did not end by itself" : `failed with exit code ${code}`;
  return new Fault("unavailable", `exec: executable ${command} ${how}`, { cause });
}

// Which program an exec user means: what is run, and, for messages, where that lies.

/** Where execvp(3) looks without a PATH. */
const PATH_WITHOUT_ONE = "/bin:/usr/bin";

/** A bare name is looked for in our PATH; a name with a slash is a path from the kubeconfig. */
export function commandOf(command: string, directory: string): string {
  return isAbsolute(command) || basename(command) === command ? command : resolve(directory, command);
}

interface WhereToLook {
  /** Of the kubeconfig. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The file that would be run; undefined where there is none that may be. */
export async function findCommand(command: string, { directory, env = {} }: WhereToLook): Promise<string | undefined> {
  const named = commandOf(command, directory);
  if (isAbsolute(named)) return (await isProgram(named)) ? named : undefined;
  for (const folder of (env["PATH"] ?? PATH_WITHOUT_ONE).split(":")) {
    const path = join(folder === "" ? "." : folder, named);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return false; // not there, or not ours to run
    throw error;
  }
}
