// A process that a test can look into: what a program writes is kept, and a controller stops it.

import type { ProcessEdge } from "../../src/platform/process/index.ts";

export interface FakeProcess {
  readonly edge: ProcessEdge;
  /** What was written so far. */
  readonly written: { out: string; err: string };
}

export function aProcess({
  env = {},
  stop = new AbortController().signal,
  isTty = false,
}: Partial<Pick<ProcessEdge, "env" | "stop">> & { readonly isTty?: boolean } = {}): FakeProcess {
  const written = { out: "", err: "" };
  const into = (stream: "out" | "err") => ({
    write: (text: string) => {
      written[stream] += text;
    },
    isTty,
  });
  return { edge: { env, stop, stdout: into("out"), stderr: into("err") }, written };
}
