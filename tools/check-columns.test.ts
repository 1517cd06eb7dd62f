import { expect, it } from "vitest";
import { findLongLines, MAX_COLUMNS } from "./check-columns.mjs";
import { plantTree } from "./planted-tree.ts";

it("finds lines that are too long, in code, comments and tests", () => {
  const long = "x".repeat(MAX_COLUMNS);
  const root = plantTree({
    "src/api/a.ts": `${long}\n//${long}\n`,
    "test/journeys/a.test.ts": `const a = "${long}";\n`,
    "tools/a.mjs": `// ${"…".repeat(MAX_COLUMNS - 3)}\n`,
  });
  expect(findLongLines(root)).toEqual([
    { folder: "src/api", text: "src/api/a.ts:2: over 120 columns" },
    { folder: "test", text: "test/journeys/a.test.ts:1: over 120 columns" },
  ]);
});
