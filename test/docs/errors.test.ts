import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADVICE } from "../../src/cli/terminal/index.ts";
import { FAULT_CODES } from "../../src/kernel/outcome/fault.ts";

const rows = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
  .split("\n")
  .map((line) => /^\| `([a-z-]+)` \| (\d+) \|/.exec(line))
  .filter((match) => match !== null);

describe("docs/errors.md", () => {
  it("lists every fault code, in the order of the code", () => {
    expect(rows.map((row) => row[1])).toEqual([...FAULT_CODES]);
  });

  it("gives each the exit code that the command line ends with", () => {
    const documented = Object.fromEntries(rows.map((row) => [row[1], Number(row[2])]));
    const real = Object.fromEntries(FAULT_CODES.map((code) => [code, ADVICE[code].exit]));
    expect(documented).toEqual(real);
  });
});
