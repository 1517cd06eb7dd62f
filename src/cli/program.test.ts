import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { aProcess } from "../../test/fakes/process-edge.ts";
import { Fault } from "../kernel/outcome/index.ts";
import { VERSION } from "../platform/process/index.ts";
import type { Command } from "./command.ts";
import { countersign } from "./index.ts";
import { runProgram } from "./program.ts";

async function run(argv: string[], command: Command) {
  const { edge, written } = aProcess();
  const listed = { path: ["node", "greet"], summary: "say hello", load: async () => command };
  const program = { name: "countersign", version: VERSION, summary: "test", commands: [listed] };
  const exit = await runProgram(program, argv, edge);
  return { exit, ...written };
}

const greet: Command = {
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
    expect(await run(["node", "greet", "ann"], greet)).toEqual({ exit: 0, out: "hello ann 1\n", err: "" });
    expect((await run(["node", "greet", "ann", "--times", "2"], greet)).out).toBe("hello ann 2\n");
  });

  it("prints help on standard output and ends with 0", async () => {
    const { exit, out, err } = await run(["node", "greet", "--help"], greet);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toContain("--times <n>");
  });

  it("says the same of a command to `help` as to --help", async () => {
    const { out } = await run(["node", "greet", "--help"], greet);
    expect((await run(["help", "node", "greet"], greet)).out).toBe(out);
    expect((await run(["node", "help", "greet"], greet)).out).toBe(out);
  });

  it("loads a command when it is meant, and not to list or describe the others", async () => {
    const { edge } = aProcess();
    const loaded: string[] = [];
    const list = ["greet", "leave"].map((word) => ({
      path: ["node", word],
      summary: word,
      load: async () => {
        loaded.push(word);
        return greet;
      },
    }));
    const program = { name: "countersign", version: VERSION, summary: "test", commands: list };
    for (const argv of [["--help"], ["--version"], ["node", "--help"], ["node", "unknown"]])
      await runProgram(program, argv, edge);
    expect(loaded).toEqual([]);
    await runProgram(program, ["node", "leave", "ann"], edge);
    expect(loaded).toEqual(["leave"]);
  });

  it("prints the version of package.json", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await run(["--version"], greet)).out.trim()).toBe(version);
  });

  it("ends with 64 for a command line that it does not understand", async () => {
    const { exit, err } = await run(["node", "greet", "--loud"], greet);
    expect(exit).toBe(64);
    expect(err).toContain("--loud");
  });

  it("ends with the fault's code, saying what happened and what to do", async () => {
    const { exit, err } = await run(["node", "greet", "nobody"], greet);
    expect(exit).toBe(69);
    expect(err).toContain("failed  nobody is not here");
  });
});

describe("the countersign program", () => {
  it("says of each of its groups what stands behind it", () => {
    const names = new Set(countersign.commands.flatMap(({ path }) => (path.length > 1 ? [path[0] ?? ""] : [])));
    for (const name of names) expect(countersign.groups?.[name], name).toMatch(/^[a-z].{20}/);
  });

  it.each(countersign.commands)(
    "$path can be loaded, and its help says what it takes",
    async ({ path, load }) => {
      const { options } = await load();
      const { edge, written } = aProcess();
      expect(await runProgram(countersign, [...path, "--help"], edge)).toBe(0);
      for (const { flags } of options) expect(written.out).toContain(flags);
    },
    60_000,
  );
});
