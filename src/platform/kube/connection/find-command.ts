// Which program an exec user means: what is run, and for people who ask before it is, where that lies.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";

/** Where execvp(3) looks without a PATH. */
const PATH_WITHOUT_ONE = "/bin:/usr/bin";

/** A bare name is looked for in our PATH; a name with a slash is a path from the kubeconfig. */
export function commandOf(command: string, directory: string): string {
  return isAbsolute(command) || basename(command) === command ? command : resolve(directory, command);
}

export interface WhereToLook {
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
