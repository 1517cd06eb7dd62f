import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { countersign } from "../../src/cli/index.ts";
import { notRun } from "../not-run.ts";

const UNITS = fileURLToPath(new URL("../../deploy/systemd/", import.meta.url));
const names = readdirSync(UNITS);
const text = (name: string) => readFileSync(join(UNITS, name), "utf8");
const noSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0 ? undefined : "no systemd-analyze";

describe("the systemd units", () => {
  const root = mkdtempSync(join(tmpdir(), "units-"));
  afterAll(() => rmSync(root, { recursive: true }));

  it.skipIf(notRun("verifying the units", noSystemd))("pass systemd-analyze verify", () => {
    const program = join(root, "countersign");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    // Only the program's place differs: it is not installed here, and verify looks.
    for (const name of names) writeFileSync(join(root, name), text(name).replaceAll("/usr/bin/countersign", program));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...names.map((name) => join(root, name))]);
    expect(stderr.toString()).toBe("");
    expect(status).toBe(0);
  });

  it("are never ordered before the kubelet, nor tied to it", () => {
    for (const name of names) {
      const settings = text(name)
        .split("\n")
        .filter((line) => !line.startsWith("#"));
      expect(settings.filter((line) => line.includes("kubelet.service"))).toEqual([]);
      expect(settings.filter((line) => /^(Before|RequiredBy|Requires|BindsTo|PartOf|Upholds)=/.test(line))).toEqual([]);
    }
  });

  it("start again after a retriable end, and not after a wrong configuration", () => {
    expect(text("countersign-node.service")).toMatch(/^RestartForceExitStatus=75$/m);
    expect(text("countersign-node.service")).toMatch(/^RestartPreventExitStatus=78$/m);
  });

  it.each(names.filter((name) => name.endsWith(".service")))(
    "%s calls a command that exists, with its flags",
    async (name) => {
      const [, line = ""] = /^ExecStart=\S+ ((?:.*\\\n)*.*)$/m.exec(text(name)) ?? [];
      const words = line.replace(/\\\n/g, " ").split(/\s+/);
      const listed = countersign.commands.find(({ path }) => path.join(" ") === words.slice(0, 2).join(" "));
      const command = await listed?.load();
      const known = (command?.options ?? []).flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []);
      expect(known).toEqual(expect.arrayContaining(words.filter((word) => word.startsWith("--"))));
    },
  );
});
