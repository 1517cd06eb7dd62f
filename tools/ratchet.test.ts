import { describe, expect, it } from "vitest";
import { exceeding, lowered } from "./ratchet.mjs";

const findings = [
  { folder: "src/api", text: "one" },
  { folder: "src/api", text: "two" },
  { folder: "src/node", text: "three" },
];

describe("a count that may only fall", () => {
  it("passes when no folder has more than it may", () => {
    expect(exceeding("things", findings, { "src/api": 2, "src/node": 5 })).toEqual([]);
  });

  it("names every finding of a folder that has more, and a folder that is not listed may have none", () => {
    expect(exceeding("things", findings, { "src/api": 2 })).toEqual([
      "three",
      "src/node: 1 things, at most 0 (tools/allowed.json)",
    ]);
  });

  it("is lowered to what there is, never raised, and leaves the list at none", () => {
    expect(lowered({ "src/api": 1, "src/node": 5, "src/cli": 3 }, findings)).toEqual({ "src/api": 1, "src/node": 1 });
  });
});
