// `countersign node leave`: takes back what a join did on this machine, and the Node object where the cluster allows
// it.

import { Fault } from "../../../kernel/outcome/index.ts";
import { leaveCluster, listLeft } from "../../../node/index.ts";
import type { Command } from "../../command.ts";
import { flagOption, OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText } from "../../terminal/index.ts";
import { readKeySeal } from "./provider.ts";
import { DIRECTORY_OPTION, readThisNode } from "./this-node.ts";

/** EX_USAGE: the command was understood and not carried out. */
const EXIT_NOT_CONFIRMED = 64;

export const nodeLeave: Command = {
  options: [
    DIRECTORY_OPTION,
    { flags: "--node-name <name>", description: "default: that of the certificate" },
    { flags: "--yes", description: "do it; without this the command only says what it would remove" },
    { flags: "--keep-node", description: "do not ask the cluster to remove the Node object" },
    OUTPUT_OPTION,
  ],
  run: async ({ terminal, clock, stop, env }, { options }) => {
    const form = outputForm(options);
    const node = await readThisNode(options);
    const { directory, nodeName } = node;
    if (!flagOption(options, "yes")) {
      const wouldRemove = await listLeft(directory);
      if (wouldRemove.length === 0) throw new Fault("not-found", `${directory} holds nothing of a joined node`);
      if (form === "json") terminal.out(`${JSON.stringify({ nodeName, wouldRemove })}\n`);
      else
        terminal.out(
          `node ${nodeName} would leave; --yes removes\n${wouldRemove.map((path) => `  ${path}\n`).join("")}`,
        );
      return EXIT_NOT_CONFIRMED;
    }
    const keepNode = flagOption(options, "keepNode");
    const result = await leaveCluster({
      ...{ directory, nodeName, clock, signal: stop, env, keepNode },
      keySeal: await readKeySeal(node),
    });
    if (form === "json") terminal.out(`${JSON.stringify({ nodeName, ...result })}\n`);
    else {
      terminal.out(`node ${nodeName} has left; ${result.removed.length} files removed from ${plainText(directory)}\n`);
      terminal.out(`Node object: ${plainText(result.node)}\n`);
    }
    return 0;
  },
};
