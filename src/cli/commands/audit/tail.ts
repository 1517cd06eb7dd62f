// `countersign audit tail FILE`: the last lines, and every new one as it is written, until Ctrl-C.

import { parseLine } from "../../../controller/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { followLines } from "./follow-lines.ts";
import { printLine } from "./trail-lines.ts";

/** As tail(1). */
const LAST_LINES = 10;
const LOOK_AGAIN_MS = 500;

export const auditTail: Command = {
  arguments: [{ name: "<file>", description: "the file of one replica" }],
  options: [OUTPUT_OPTION],
  run: async (context, { options, args: [path] }) => {
    if (path === undefined) throw new Fault("bad-config", "the file of the audit trail is missing");
    const form = outputForm(options);
    const follower = await followLines(path, LAST_LINES);
    try {
      while (!context.stop.aborted) {
        for (const line of await follower.look()) print(context, line, form);
        await pause(context);
      }
      return 0;
    } finally {
      await follower.close();
    }
  },
};

/** What is no line of a trail is left out: another program may have written into the file. */
function print(context: CommandContext, text: string, form: ReturnType<typeof outputForm>): void {
  const line = parseLine(text);
  if (line === undefined) return;
  if (form === "json") context.terminal.out(`${text}\n`);
  else printLine(context, line);
}

async function pause({ clock, stop }: CommandContext): Promise<void> {
  try {
    await clock.sleep(LOOK_AGAIN_MS, stop);
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}
