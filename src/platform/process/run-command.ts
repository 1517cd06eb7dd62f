// A program from its first step to its exit code: the message of a fault on standard error, with the program's name before it.

import { type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import type { ProcessEdge } from "./process-edge.ts";

/** As sysexits(3) has them: a wrong command line or file, a process that shall be started anew, an end nobody asked for. */
const EXIT_CONFIG = 78;
const EXIT_AGAIN = 75;
const EXIT_SOFTWARE = 70;

const EXIT_CODES: Readonly<Partial<Record<FaultCode, number>>> = {
  "bad-config": EXIT_CONFIG,
  "not-found": EXIT_CONFIG,
  malformed: EXIT_CONFIG,
  unsupported: EXIT_CONFIG,
  locked: EXIT_AGAIN,
};

export async function runCommand(
  program: string,
  { stderr }: Pick<ProcessEdge, "stderr">,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!isFault(error)) throw error;
    stderr.write(`${program}: ${error.message}\n`);
    return EXIT_CODES[error.code] ?? EXIT_SOFTWARE;
  }
}
