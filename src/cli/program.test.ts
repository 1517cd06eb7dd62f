import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { aProcess } from "../../test/fakes/process-edge.ts";
import { Fault } from "../kernel/outcome/index.ts";
import { VERSION } from "../platform/process/index.ts";
import type { Command } from "./command.ts";
import { countersign } from "./index.ts";
import { runProgram } from "./program.ts";

async function run(argv: string[], commands: Command[]) {
  const { edge, written } = aProcess();
  const program = { name: "countersign", version: VERSION, summary: "test", commands };
  const exit = await runProgram(program, argv, edge);
  return { exit, ...written };
}

const greet: Command = {
  path: ["node", "greet"],
  summary: "say hello",
  arguments: [{ name: "<name>", description: "whom" }],
  options: [{ flags: "--times <n>", description: "how often", default: "1" }],
  run: async ({ terminal }, { options, args }) => {
    if (args[0] === "nobody") throw new Fault("not-found", "nobody is not here");
    terminal.out(`hello ${args[0]} ${String(options["times"])}\n`);
    return 0;
  },
};

describe("runProgram", () => {
  it("hands a command its arguments and options with their defaults", async () => {
    expect(await run(["node", "greet", "ann"], [greet])).toEqual({ exit: 0, out: "hello ann 1\n", err: "" });
    expect((await run(["node", "greet", "ann", "--times", "2"], [greet])).out).toBe("hello ann 2\n");
  });

  it("prints help on standard output and ends with 0", async () => {
    const { exit, out, err } = await run(["node", "greet", "--help"], [greet]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toContain("--times <n>");
  });

  it("prints the version of package.json", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await run(["--version"], [greet])).out.trim()).toBe(version);
  });

  it("ends with 64 for a command line that it does not understand", async () => {
    const { exit, err } = await run(["node", "greet", "--loud"], [greet]);
    expect(exit).toBe(64);
    expect(err).toContain("--loud");
  });

  it("ends with the fault's code, saying what happened and what to do", async () => {
    const { exit, err } = await run(["node", "greet", "nobody"], [greet]);
    expect(exit).toBe(69);
    expect(err).toContain("failed  nobody is not here");
  });
});

describe("the countersign program", () => {
  it("says of each of its groups what stands behind it", () => {
    const names = new Set(countersign.commands.flatMap(({ path }) => (path.length > 1 ? [path[0] ?? ""] : [])));
    for (const name of names) expect(countersign.groups?.[name], name).toMatch(/^[a-z].{20}/);
  });
});
