import { describe, expect, it } from "vitest";
import { plantTree } from "./planted-tree.ts";
import { checkSizes, measureSizes } from "./sizes.mjs";

const LIMITS = { fileLines: 6, functionLines: 4, folderExports: 2, treeFiles: 3 };
const check = (files: Record<string, string>) => checkSizes(measureSizes(plantTree(files)), LIMITS);

describe("sizes", () => {
  it("are well within the limits; comments, tests and what an index passes on do not count", () => {
    const found = check({
      "src/api/a.ts": "// 1\n// 2\nexport const a = 1;\nexport const b = 2;\n\n\n",
      "src/api/index.ts": 'export { a, b } from "./a.ts";\n',
      "src/api/a.test.ts": "const a = 1;\n".repeat(10),
    });
    expect(found).toEqual([]);
  });

  it("refuse a long file, a long function, a folder of many exports and a tree of many files", () => {
    const body = "  return 1;\n".repeat(3);
    const found = check({
      "src/api/a.ts": "const a = 1;\n".repeat(7),
      "src/cli/b.ts": `function b() {\n${body}}\n`,
      "sdk/src/c.ts": "export const c = 1;\nexport const d = 1;\n",
      "sdk/src/e.ts": "export const e = 1;\n",
    });
    expect(found).toEqual([
      "src/api/a.ts has 7 lines of code, at most 6",
      "src/cli/b.ts:1 is a function of 5 lines, at most 4",
      "sdk/src declares 3 exports, at most 2",
      "the tree has 4 files, at most 3",
    ]);
  });
});
