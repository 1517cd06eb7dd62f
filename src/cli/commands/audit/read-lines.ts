// The lines of audit files, piece by piece: a trail of a year does not fit into memory as one text.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Fault } from "../../../kernel/outcome/index.ts";

export async function* readLines(paths: readonly string[]): AsyncGenerator<string, void, void> {
  for (const path of paths) {
    try {
      yield* createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
    } catch (cause) {
      throw new Fault("io-failed", `cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, { cause });
    }
  }
}
