// Plugins that do not behave, as real processes.

import { describe, expect, it } from "vitest";
import { runPlugin } from "./run-plugin.ts";

const run = (script: string, limitMs?: number) =>
  runPlugin({ command: "/bin/sh", args: ["-c", script], env: { PATH: process.env["PATH"] }, limitMs });

describe("a credential plugin", () => {
  it("answers on its stdout, however long it is", async () => {
    expect(await run("head -c 300000 /dev/zero | tr '\\\\0' x")).toHaveLength(300_000);
  });

  const hanging: Record<string, string> = {
    hangs: "exec sleep 5",
    "does not listen to SIGTERM": "trap '' TERM; sleep 5 2>&1; sleep 5 2>&1",
    "leaves a child that keeps its stdout": "sleep 5 2>&1 & wait",
    "ends, but a child of it keeps its stdout": "sleep 5 2>&1 & exit 0",
  };
  it.each(Object.entries(hanging))("that %s is given up at the limit", async (_, script) => {
    await expect(run(script, 200)).rejects.toMatchObject({
      code: "unavailable",
      message: "exec: executable /bin/sh did not end by itself",
    });
  });

  it("that writes without end is given up at the limit of an answer", async () => {
    await expect(run("cat /dev/zero")).rejects.toMatchObject({ code: "limit-exceeded" });
  });
});
