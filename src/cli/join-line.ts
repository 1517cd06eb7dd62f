// The line of a joining node: each word appears when its step is done.

import type { JoinStep } from "../node/index.ts";
import type { Terminal } from "./terminal/index.ts";

export interface JoinLine {
  step(step: JoinStep): void;
  end(text: string): void;
}

const NAME_WIDTH = 9;

export function startJoinLine(terminal: Terminal, nodeName: string): JoinLine {
  terminal.out(`  ${nodeName.padEnd(NAME_WIDTH)}`);
  let first = true;
  return {
    step: (step) => {
      terminal.out(`${first ? "" : " · "}${step}`);
      first = false;
    },
    end: (text) => terminal.out(`${first ? "" : "   "}${text}\n`),
  };
}
