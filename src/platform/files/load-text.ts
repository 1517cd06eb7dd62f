// A whole file as text. Faults name the file and why it cannot be read.

import { isFault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "./file-system.ts";

/** Fault `not-found` or `io-failed`. */
export async function loadText(path: string): Promise<string> {
  return (await nodeFileSystem.read(path)).toString("utf8");
}

export async function loadTextIfPresent(path: string): Promise<string | undefined> {
  try {
    return await loadText(path);
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
