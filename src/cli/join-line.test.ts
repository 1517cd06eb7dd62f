import { expect, it } from "vitest";
import { aProcess } from "../../test/fakes/process-edge.ts";
import { startJoinLine } from "./join-line.ts";
import { createTerminal } from "./terminal/index.ts";

it.each(["node-a", "worker-1", "worker-of-the-second-rack"])("keeps the name %s apart from the first step", (name) => {
  const { edge, written } = aProcess({ isTty: false });
  const line = startJoinLine(createTerminal(edge), name);
  line.step("discovered");
  line.step("attested", "tpm");
  line.end("0.1 s");
  expect(written.out).toBe(`  ${name.padEnd(8)} discovered · attested (tpm)   0.1 s\n`);
});
