// The line of a joining node: each step appears when it is done.

import type { JoinStep } from "../node/index.ts";
import type { Terminal } from "./terminal/index.ts";

interface JoinLine {
  /** `detail` is shown where the step alone says too little: by what the machine was attested. */
  step(step: JoinStep, detail?: string): void;
  end(text: string): void;
}

const NAME_WIDTH = 9;

export function startJoinLine(terminal: Terminal, nodeName: string): JoinLine {
  terminal.out(`  ${nodeName.padEnd(NAME_WIDTH - 1)} `);
  let first = true;
  return {
    step: (step, detail) => {
      const word = step === "attested" && detail !== undefined ? `${step} (${detail})` : step;
      terminal.out(`${first ? "" : " · "}${word}`);
      first = false;
    },
    end: (text) => terminal.out(`${first ? "" : "   "}${text}\n`),
  };
}
