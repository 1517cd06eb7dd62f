// `countersign audit verify FILE…`: is the trail complete? Checks every chain by its digests and, where the cluster can
// be asked, by the heads that it keeps: only they show that the end is missing. Give the files of all replicas at once.

import { type CheckResult, checkTrail, getAnchors, headsOf } from "../../../controller/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { connectToCluster, KUBECONFIG_OPTION } from "../../connect.ts";
import { OUTPUT_OPTION, outputForm, textOption } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { readLines } from "./trail-lines.ts";

/** The trail is broken: an answer, not an accident. */
const EXIT_BROKEN = 1;

export const auditVerify: Command = {
  arguments: [{ name: "<file...>", description: "the files of all replicas" }],
  options: [
    KUBECONFIG_OPTION,
    {
      flags: "--offline",
      description: "do not ask the cluster for the heads it keeps; a cut-off end does not show then",
    },
    { flags: "--namespace <name>", description: "where the controller runs", default: "countersign-system" },
    OUTPUT_OPTION,
  ],
  run: async (context, { options, args }) => {
    if (args.length === 0) throw new Fault("bad-config", "the file of the audit trail is missing");
    const form = outputForm(options);
    const anchors = options["offline"] === true ? undefined : await anchorsOf(context, options);
    const lines: string[] = [];
    for await (const line of readLines(args)) lines.push(line);
    const result = checkTrail(lines, anchors);
    if (form === "json") context.terminal.out(`${JSON.stringify(result)}\n`);
    else print(context, result, anchors !== undefined);
    // Files without any chain prove nothing: they are the wrong ones, or the trail was removed.
    const isWhole = result.chains.length > 0 && result.chains.every(({ problems }) => problems.length === 0);
    return isWhole ? 0 : EXIT_BROKEN;
  },
};

async function anchorsOf(context: CommandContext, options: Parameters<typeof connectToCluster>[1]) {
  const client = await connectToCluster(context, options);
  try {
    return headsOf(await getAnchors(client, textOption(options, "namespace") ?? "countersign-system"));
  } finally {
    await client.close();
  }
}

function print({ terminal }: CommandContext, { chains, ignored }: CheckResult, isAsked: boolean): void {
  if (chains.length === 0) terminal.out("no chain: none of the lines belongs to an audit trail\n");
  for (const { chain, lines, by, problems, anchored } of chains) {
    const word = problems.length === 0 ? terminal.paint("good", "whole ") : terminal.paint("bad", "BROKEN");
    const standing = anchored
      ? "the cluster vouches for it"
      : isAsked
        ? "the cluster does not know it"
        : "not compared";
    terminal.out(`${word}  ${plainText(chain)}  ${lines} lines  by ${plainText(by)}  ${standing}\n`);
    for (const problem of problems) terminal.out(`        ${plainText(problem)}\n`);
  }
  // The trail may go to standard output, among other lines; in a file of its own there are none.
  if (ignored > 0) terminal.out(`${ignored} lines belong to no chain and prove nothing\n`);
}
