// `countersign discovery verify [ADDRESS]`: every address and every root, one by one. Ends with 0 only when all are
// good.

import { type LocationCheck, verifyRoots, verifyServers } from "../../../node/index.ts";
import type { Command, CommandContext } from "../../command.ts";
import { ADDRESS_ARGUMENT, discoverDeps } from "../../discovery-options.ts";
import { outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { discoverOrLoad, SOURCE_OPTIONS } from "./source.ts";

/** The cluster was found and proved; one of its addresses or roots is not good. */
const SOME_ARE_BAD_EXIT = 1;

export const discoveryVerify: Command = {
  arguments: [ADDRESS_ARGUMENT],
  options: SOURCE_OPTIONS,
  examples: ["countersign discovery verify --cluster-info-file my-cluster.yaml", "countersign discovery verify"],
  run: async (context, input) => {
    const form = outputForm(input.options);
    const { cluster } = await discoverOrLoad(context, input);
    const checks = [
      ...(await verifyServers(cluster, discoverDeps(context))),
      ...verifyRoots(cluster, context.clock.now()),
    ];
    if (form === "json") context.terminal.out(`${JSON.stringify({ server: cluster.server, checks })}\n`);
    else for (const check of checks) printCheck(context, check);
    return checks.every(({ ok }) => ok) ? 0 : SOME_ARE_BAD_EXIT;
  },
};

function printCheck({ terminal }: CommandContext, { ok, subject, message }: LocationCheck): void {
  const mark = ok ? terminal.paint("good", "good") : terminal.paint("bad", "bad ");
  terminal.out(`${mark}  ${plainText(subject)}  ${plainText(message)}\n`);
}
