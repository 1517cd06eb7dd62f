// Plugins that do not behave, as real processes.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCommand, runPlugin } from "./run-plugin.ts";

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

describe("the program that an exec user names", () => {
  let root = "";
  const at = (...names: string[]) => join(root, ...names);
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "path-"));
    for (const folder of ["one", "two", "three", "two/plugin-a"]) mkdirSync(at(folder));
    writeFileSync(at("one", "plugin-a"), "#!/bin/sh\n", { mode: 0o644 }); // may not be run
    writeFileSync(at("three", "plugin-a"), "#!/bin/sh\n");
    chmodSync(at("three", "plugin-a"), 0o755);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const look = (command: string, env?: Record<string, string>) => findCommand(command, { directory: root, env });
  const PATH = () => ["one", "two", "three"].map((folder) => at(folder)).join(":");

  it("is the first on PATH that is a file and may be run", async () => {
    expect(await look("plugin-a", { PATH: PATH() })).toBe(at("three", "plugin-a"));
  });

  it("with a slash in its name is a path from the kubeconfig, whatever PATH says", async () => {
    expect(await look("three/plugin-a", { PATH: "" })).toBe(at("three", "plugin-a"));
    expect(await look("one/plugin-a", { PATH: PATH() })).toBeUndefined();
  });

  it("with an absolute name is that file", async () => {
    expect(await look(at("three", "plugin-a"))).toBe(at("three", "plugin-a"));
    expect(await look(at("nowhere"))).toBeUndefined();
  });

  it("is looked for without a PATH where the system looks", async () => {
    expect(await look("sh")).toMatch(/\/sh$/);
    expect(await look("plugin-a")).toBeUndefined();
  });
});
