import { describe, expect, it } from "vitest";
import { findDuplicates, measureTree } from "./measure.mjs";
import { plantTree } from "./planted-tree.ts";
import { PRODUCT, readSources } from "./sources.mjs";

/** Six lines that count, with some between them that do not. */
const SIX = "const a = one();\n// why\nconst b = two();\n\nif (a) {\n  run(a);\n  run(b);\n  return;\n}\n";

describe("measuring", () => {
  const duplicatesIn = (files: Record<string, string>) => findDuplicates(readSources(plantTree(files), PRODUCT));

  it("finds a run of equal lines at each of its places, whatever the indent and the comments", () => {
    const found = duplicatesIn({
      "src/api/a.ts": `const first = 1;\n${SIX}`,
      "src/cli/b.ts": SIX.replaceAll(/^/gm, "  ").replace("// why", "// because"),
    });
    expect(found).toEqual({ runs: 2, lines: 12 });
  });

  it("counts a longer run once", () => {
    const longer = `${SIX}const last = 1;\nconst more = 2;\n`;
    expect(duplicatesIn({ "src/api/a.ts": longer, "src/cli/b.ts": longer })).toEqual({ runs: 2, lines: 16 });
  });

  it("finds none in imports, nor in fewer lines", () => {
    const imports = Array.from({ length: 8 }, (_, at) => `import { a${at} } from "./a.ts";\n`).join("");
    const fewer = SIX.replace("run(b)", "run(c)");
    const found = duplicatesIn({ "src/api/a.ts": imports + SIX, "src/cli/b.ts": imports + fewer });
    expect(found).toEqual({ runs: 0, lines: 0 });
  });

  it("counts files, lines, exports and folders of the product, and lines of tests apart", () => {
    const rows = measureTree(
      plantTree({
        "src/api/meta/a.ts": "export const a = 1;\nexport const b = 2;\n",
        "src/api/index.ts": 'export { a } from "./meta/a.ts";\n',
        "src/api/a.test.ts": "it();\n",
        "test/journeys/b.ts": "it();\nit();\n",
      }),
    );
    expect(rows).toMatchObject({
      files: 2,
      lines: 3,
      "lines of tests": 3,
      "exports declared": 2,
      "exports that an index passes on": 1,
      folders: 2,
      "depth, mean and most": "2.5 / 3",
      "files under 30 lines": 2,
    });
  });
});
