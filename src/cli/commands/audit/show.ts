// `countersign audit show FILE…`: the lines about one request, one node or one kind of event. Lines with a wrong digest
// are left out: they were altered.

import { type AuditLine, parseLine } from "../../../controller/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command, OptionValues } from "../../command.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { printLine, readLines } from "./trail-lines.ts";

export const auditShow: Command = {
  arguments: [{ name: "<file...>", description: "files of one or several replicas" }],
  options: [
    { flags: "--csr <name>", description: "only about this request" },
    { flags: "--node <name>", description: "only about certificates of this node" },
    { flags: "--event <words>", description: 'only this kind, such as "certificate issued"' },
    OUTPUT_OPTION,
  ],
  run: async (context, { options, args }) => {
    if (args.length === 0) throw new Fault("bad-config", "the file of the audit trail is missing");
    const form = outputForm(options);
    const isWanted = chooser(options);
    for await (const text of readLines(args)) {
      const line = parseLine(text);
      if (line === undefined || !isWanted(line)) continue;
      if (form === "json") context.terminal.out(`${text}\n`);
      else printLine(context, line);
    }
    return 0;
  },
};

function chooser(options: OptionValues): (line: AuditLine) => boolean {
  const [csr, node, event] = ["csr", "node", "event"].map((name) => textOption(options, name));
  return (line) =>
    (csr === undefined || line.fields["csr"] === csr) &&
    (node === undefined || line.fields["subject"] === `system:node:${node}`) &&
    (event === undefined || line.event === event);
}
