// `countersign audit tail FILE`: the last lines, and every new one as it is written, until Ctrl-C.

import { parseLine } from "../../../controller/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { loadText } from "../../../platform/files/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { printLine } from "./print-line.ts";

/** As tail(1). */
const LAST_LINES = 10;
const LOOK_AGAIN_MS = 500;

export const auditTail: Command = {
  path: ["audit", "tail"],
  summary: "print the end of an audit trail and what comes",
  arguments: [{ name: "<file>", description: "the file of one replica" }],
  options: [],
  run: async (context, { args: [path] }) => {
    if (path === undefined) throw new Fault("bad-config", "the file of the audit trail is missing");
    let shown = -1;
    while (!context.stop.aborted) {
      const lines = (await loadText(path)).split("\n").slice(0, -1);
      for (const line of lines.slice(shown < 0 ? -LAST_LINES : shown)) print(context, line);
      shown = lines.length;
      await pause(context);
    }
    return 0;
  },
};

function print(context: CommandContext, text: string): void {
  const line = parseLine(text);
  if (line !== undefined) printLine(context, line);
}

async function pause({ clock, stop }: CommandContext): Promise<void> {
  try {
    await clock.sleep(LOOK_AGAIN_MS, stop);
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}
