import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aProcess } from "../../test/fakes/process-edge.ts";
import { countersign, runProgram } from "./index.ts";

const home = mkdtempSync(join(tmpdir(), "connect-"));
afterAll(() => rmSync(home, { recursive: true }));

async function lookFor(env: Record<string, string>, ...flags: string[]) {
  const { edge, written } = aProcess({ env: { HOME: home, ...env } });
  await runProgram(countersign, ["token", "list", ...flags], edge);
  return written.err;
}

describe("the kubeconfig of a command", () => {
  it.each([
    ["the one that is named", { KUBECONFIG: "/of/variable" }, ["--kubeconfig", "/of/flag"], "cannot read /of/flag:"],
    ["else that of the variable", { KUBECONFIG: "/of/variable" }, [], "cannot read /of/variable:"],
    [
      "else the user's own, also when the variable is empty",
      { KUBECONFIG: "" },
      [],
      `cannot read ${home}/.kube/config:`,
    ],
    ["not one of several", { KUBECONFIG: "/a:/b" }, [], "KUBECONFIG names several files"],
  ])("is %s", async (_, env, flags, message) => expect(await lookFor(env, ...flags)).toContain(message));
});
