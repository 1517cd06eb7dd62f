// What the plugin gets from the process it runs in, and gives back to it.

import { writeNow } from "../../platform/process/index.ts";

export interface ExecEdge {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export function createExecEdge(): ExecEdge {
  return {
    args: process.argv.slice(2),
    env: process.env,
    now: Date.now,
    stdout: (text) => writeNow(1, text),
    stderr: (text) => writeNow(2, text),
  };
}
