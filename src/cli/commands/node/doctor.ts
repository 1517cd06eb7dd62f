// `countersign node doctor`: what is wrong with this node and what to do about it. Ends with 0 only when all is well.

import { type Finding, gatherHealth, isWell, judgeHealth } from "../../../node/index.ts";
import type { Command } from "../../command.ts";
import { OUTPUT_OPTION, outputForm } from "../../options.ts";
import { plainText, type Terminal, type Tone } from "../../terminal/index.ts";
import { readKeySeal } from "./provider.ts";
import { readThisNode, THIS_NODE_OPTIONS } from "./this-node.ts";

const EXIT_UNWELL = 1;
const CHECK_WIDTH = 17;
const STATE_WIDTH = 9;
const TONES: Readonly<Record<Finding["state"], Tone>> = { ok: "good", failed: "bad", none: "faint", unknown: "strong" };

export const nodeDoctor: Command = {
  options: [...THIS_NODE_OPTIONS, OUTPUT_OPTION],
  examples: ["countersign node doctor", "countersign node doctor -o json"],
  run: async ({ terminal, clock, stop, env }, { options }) => {
    const form = outputForm(options);
    const node = await readThisNode(options);
    const keySeal = await readKeySeal(node);
    const findings = judgeHealth(await gatherHealth({ ...node, keySeal, clock, signal: stop, env }));
    const well = isWell(findings);
    if (form === "json")
      terminal.out(`${JSON.stringify({ nodeName: node.nodeName, directory: node.directory, well, findings })}\n`);
    else for (const finding of findings) print(terminal, finding);
    return well ? 0 : EXIT_UNWELL;
  },
};

function print(terminal: Terminal, { check, state, text, todo }: Finding): void {
  const word = (state === "failed" ? "FAILED" : state === "none" ? "–" : state).padEnd(STATE_WIDTH);
  terminal.out(`  ${check.padEnd(CHECK_WIDTH)}${terminal.paint(TONES[state], word)}${plainText(text)}\n`);
  if (todo !== undefined) terminal.out(`  ${" ".repeat(CHECK_WIDTH)}do: ${plainText(todo)}\n`);
}
