import { describe, expect, it } from "vitest";
import { findSharedNames, findUnusedExports } from "./check-exports.mjs";
import { plantTree } from "./planted-tree.ts";

const unusedIn = (files: Record<string, string>) => findUnusedExports(plantTree(files)).map(({ text }) => text);
const sharedIn = (files: Record<string, string>) => findSharedNames(plantTree(files)).map(({ text }) => text);

describe("an export", () => {
  const used: Record<string, Record<string, string>> = {
    "imported by another file": {
      "src/api/a.ts": "export const a = 1;",
      "src/bin/main.ts": 'import { a } from "../api/a.ts";',
    },
    "imported as a type, in a list of several lines and under another name": {
      "src/api/a.ts": "export interface A {}\nexport function b() {}",
      "src/bin/main.ts": 'import {\n  type A,\n  b as c,\n} from "../api/a.ts";',
    },
    "passed on by an index that is used": {
      "src/api/a.ts": "export const a = 1;",
      "src/api/index.ts": 'export { a } from "./a.ts";',
      "src/bin/main.ts": 'import { a } from "../api/index.ts";',
    },
    "mentioned after a dynamic import": {
      "src/api/a.ts": "export const a = 1;",
      "src/bin/main.ts": 'const { a } = await import("../api/a.ts");',
    },
    "of a program's file": { "src/bin/main.ts": "export const main = 1;" },
    "tested as a unit": {
      "src/api/a.ts": "export const a = 1;",
      "test/journeys/a.test.ts": 'import { a } from "../../src/api/a.ts";',
    },
    "used by a benchmark on the build": {
      "src/api/a.ts": "export const a = 1;",
      "bench/a.mjs": 'import { a } from "../dist/api/a.js";',
    },
    "of a folder that benchmarks load by its name": {
      "src/api/meta/a.ts": "export const a = 1;",
      "src/api/meta/index.ts": 'export { a } from "./a.ts";',
      "bench/x.mjs": 'const { meta } = await loadParts({ meta: "api/meta" });',
      "bench/x/y.mjs": "meta.a;",
    },
    "the type of something in a script": {
      "src/api/a.ts": "export interface A {}",
      "tools/a.mjs": '/** @param {import("../src/api/a.ts").A} a */',
    },
    "only written in a template or a comment": {
      "src/api/a.ts":
        'const T = `\nexport const a = 1;\n`;\n/*\nexport const b = 1;\n*/\nconst Q = /[`"]/;\nconst b = T;',
    },
  };
  for (const [name, files] of Object.entries(used))
    it(`is well when ${name}`, () => expect(unusedIn(files)).toEqual([]));

  it("is refused when only its own file uses it", () => {
    const found = unusedIn({ "src/api/a.ts": "export const a = 1;\nexport const b = a;", "src/bin/main.ts": "" });
    expect(found).toEqual(["src/api/a.ts: no other file imports a", "src/api/a.ts: no other file imports b"]);
  });

  it("is refused once, at the index, when no file but the index asks for it", () => {
    const found = unusedIn({
      "src/api/a.ts": "export const [a, b] = [1, 2];",
      "src/api/index.ts": 'export { a, b } from "./a.ts";',
      "src/bin/main.ts": 'import { b } from "../api/index.ts";',
    });
    expect(found).toEqual(["src/api/index.ts: no other file imports a"]);
  });

  it("is refused when an index passes it on for tests alone", () => {
    const found = unusedIn({
      "src/api/a.ts": "export const a = 1;",
      "src/api/index.ts": 'export { a } from "./a.ts";',
      "src/api/a.test.ts": 'import { a } from "./index.ts";',
    });
    expect(found).toEqual(["src/api/index.ts: no other file imports a"]);
  });
});

describe("an exported name", () => {
  it("is refused when two files of a top folder declare it", () => {
    const found = sharedIn({
      "src/node/join/a.ts": "export interface Options {}",
      "src/node/exec/b.ts": "export type Options = 1;",
    });
    expect(found).toEqual(["Options is exported by src/node/exec/b.ts and src/node/join/a.ts"]);
  });

  it("may be passed on, be overloaded, and mean something else in another top folder", () => {
    const found = sharedIn({
      "src/node/join/a.ts": "export function a(x: 1): 1;\nexport function a(x: number): number {}",
      "src/node/index.ts": 'export { a } from "./join/a.ts";',
      "src/cli/a.ts": "export const a = 1;",
      "src/node/a.test.ts": "export const a = 1;",
    });
    expect(found).toEqual([]);
  });
});
