import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STAGES } from "../../src/apiserver/chain.ts";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("docs/journey.md", root), "utf8");

describe("docs/journey.md", () => {
  const paths = [...text.matchAll(/`((?:src|test|docs)\/[^`]*)`/g)].map((match) => match[1] ?? "");

  it("names paths", () => expect(paths.length).toBeGreaterThan(15));

  for (const path of new Set(paths)) {
    it(`names ${path}, which exists`, () => expect(existsSync(new URL(path, root))).toBe(true));
  }

  it("walks the stages of the API server in the order of chain.ts", () => {
    const rows = [...text.matchAll(/^\| ([a-z]+) \| `([^`]+)` \|/gm)].map((match) => ({
      name: match[1],
      path: match[2],
    }));
    expect(rows).toEqual(STAGES.map(({ name, path }) => ({ name, path })));
  });
});
