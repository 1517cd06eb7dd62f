import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkLayers } from "./check-layers.mjs";

const layers = JSON.parse(readFileSync(new URL("./layers.json", import.meta.url), "utf8"));
const roots: string[] = [];

/** A small tree of planted sources; the check reads it as it reads the product. */
function check(files: Record<string, string>, table = layers): string[] {
  const root = mkdtempSync(join(tmpdir(), "layers-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkLayers(root, table);
}

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

describe("the import table", () => {
  it("accepts imports that point down through an index", () => {
    const found = check({
      "src/kernel/outcome/index.ts": "export const a = 1;",
      "src/controller/loop/run.ts": 'import { a } from "../../kernel/outcome/index.ts";\nexport const b = a;',
    });
    expect(found).toEqual([]);
  });

  it("refuses an import that points up, and says what would be allowed", () => {
    const found = check({
      "src/platform/kube/index.ts": 'import { run } from "../../cli/index.ts";\nexport const a = run;',
      "src/cli/index.ts": "export const run = 1;",
    });
    expect(found).toEqual(["platform/kube/index.ts: may not import cli/index.ts; platform may import kernel, api"]);
  });

  it("refuses a type-only import between two sides that meet over HTTP", () => {
    const found = check({
      "src/node/join/join.ts": 'import type { A } from "../../controller/index.ts";\nexport type B = A;',
      "src/controller/index.ts": "export type A = 1;",
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("node/join/join.ts: may not import controller/index.ts");
  });

  it("refuses a dynamic import as well", () => {
    const found = check({
      "src/api/meta/a.ts": 'export const a = () => import("../../platform/index.ts");',
      "src/platform/index.ts": "export const b = 1;",
    });
    expect(found.join("\n")).toContain("api/meta/a.ts: may not import platform/index.ts");
  });

  it("refuses an import past another folder's index", () => {
    const found = check({
      "src/cli/a.ts": 'import { b } from "../node/join/inner.ts";\nexport const a = b;',
      "src/node/join/inner.ts": "export const b = 1;",
    });
    expect(found).toEqual(["cli/a.ts: imports node/join/inner.ts; another folder is entered through its index.ts"]);
  });

  it("refuses test code in the product", () => {
    const found = check({
      "src/cli/a.ts": 'import { fake } from "../../test/fakes/clock.ts";\nexport const a = fake;',
      "test/fakes/clock.ts": "export const fake = 1;",
    });
    expect(found.join("\n")).toContain("outside the sources");
  });

  it("refuses a package that nobody gave a place", () => {
    const found = check({ "src/kernel/der/a.ts": 'import { x } from "left-pad";\nexport const a = x;' });
    expect(found.join("\n")).toContain("imports left-pad, which is not in tools/layers.json");
  });

  it("refuses a package outside the folder it belongs to", () => {
    const found = check({ "src/node/exec/index.ts": 'import { fetch } from "undici";\nexport const a = fetch;' });
    expect(found).toEqual(["node/exec/index.ts: may not import undici; it belongs to platform/kube/, platform/http/"]);
  });

  it("refuses the checker that reads the template it must not trust", () => {
    const found = check({
      "src/controller/signing/check.ts": 'import { t } from "./template.ts";\nexport const a = t;',
      "src/controller/signing/template.ts": "export const t = 1;",
    });
    expect(found).toEqual(["controller/signing/check.ts: must never import controller/signing/template.ts"]);
  });
});

describe("the direction inside of a top folder", () => {
  const table = { ...layers, inside: { platform: ["kube", "call.ts", "http", "files"] } };
  const plant = (path: string, target: string) =>
    check(
      {
        [`src/platform/${path}`]: `import type { B } from "${"../".repeat(path.split("/").length - 1) || "./"}${target}";\nexport type A = B;`,
        [`src/platform/${target}`]: "export type B = 1;",
      },
      table,
    );

  const accepted: Record<string, [string, string]> = {
    "a folder that imports one after it": ["kube/a.ts", "files/b.ts"],
    "a folder that imports a file the list names after it": ["kube/a.ts", "call.ts"],
    "a listed file that imports a folder after it": ["call.ts", "files/b.ts"],
    "imports within one folder, however deep": ["http/a.ts", "http/inner/b.ts"],
    "a file that is not listed and imports a folder": ["start.ts", "kube/b.ts"],
    "two files that are not listed": ["start.ts", "options.ts"],
  };
  for (const [name, [path, target]] of Object.entries(accepted)) {
    it(`accepts ${name}`, () => expect(plant(path, target)).toEqual([]));
  }

  const refused: Record<string, [string, string, string]> = {
    "a folder that imports one before it": ["files/a.ts", "kube/b.ts", "files may import nothing"],
    "the same from a sub-folder": ["http/inner/a.ts", "kube/b.ts", "http may import files"],
    "a folder that imports a listed file before it": ["http/a.ts", "call.ts", "http may import files"],
    "a folder that imports a file that is not listed": [
      "kube/a.ts",
      "start.ts",
      "kube may import call.ts, http, files",
    ],
    "an import of a folder that the list does not know": ["kube/a.ts", "odd/b.ts", "its folder is not in the list"],
    "an import by a folder that the list does not know": ["odd/a.ts", "kube/b.ts", "its folder is not in the list"],
  };
  for (const [name, [path, target, why]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      const found = plant(path, target);
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(why);
    });
  }

  it("is free where no list is", () => {
    expect(check({ "src/platform/files/a.ts": 'import "../kube/b.ts";', "src/platform/kube/b.ts": "" })).toEqual([]);
  });

  it("names only what is there", () => {
    const named = Object.entries<string[]>(layers.inside).flatMap(([top, order]) =>
      order.map((one) => `${top}/${one}`),
    );
    expect(named.filter((path) => !existsSync(new URL(`../src/${path}`, import.meta.url)))).toEqual([]);
  });
});

describe("cycles", () => {
  it("are refused, with the whole way round", () => {
    const found = check({
      "src/kernel/der/a.ts": 'import { b } from "./b.ts";\nexport const a = b;',
      "src/kernel/der/b.ts": 'import { c } from "./c.ts";\nexport const b = c;',
      "src/kernel/der/c.ts": 'import type { a } from "./a.ts";\nexport const c = 1;',
    });
    expect(found).toEqual(["import cycle: kernel/der/a.ts -> kernel/der/b.ts -> kernel/der/c.ts -> kernel/der/a.ts"]);
  });
});

describe("the two ends of a provider", () => {
  const verifier = { "src/attestation/tpm/verifier.ts": "export const verify = 1;" };
  const machine = (text: string) => ({
    "src/node/exec/a.ts": 'import "../../attestation/tpm/node.ts";',
    "src/attestation/tpm/node.ts": text,
  });

  it("are entrances that the table names", () => {
    expect(check(machine("export const prove = 1;"))).toEqual([]);
  });

  it("are not loaded by the other side, not even through another file", () => {
    expect(check({ ...machine('export { verify } from "./verifier.ts";'), ...verifier })).toEqual([
      "node/ must not load node/exec/a.ts -> attestation/tpm/node.ts -> attestation/tpm/verifier.ts",
    ]);
  });

  it("may name each other's types, which bring no code along", () => {
    expect(check({ ...machine('export type { Verify } from "./verifier.ts";'), ...verifier })).toEqual([]);
  });
});

describe("the pure zone", () => {
  const impure: Record<string, [string, string, string]> = {
    "a clock read in a rule": ["src/controller/judging/rules/a.ts", "export const a = Date.now();", "the clock"],
    "a new Date in a judge": ["src/controller/judging/judge.ts", "export const a = new Date();", "the clock"],
    "async code in the kernel": ["src/kernel/der/a.ts", "export async function a() {}", "async code"],
    "randomness in a template": ["src/controller/signing/template.ts", "export const a = Math.random();", "randomness"],
    "a timer in a plan": ["src/node/certificates/plan.ts", "setTimeout(() => 1, 2);", "a timer"],
    "the environment in api": ["src/api/meta/a.ts", 'export const a = process.env["X"];', "the world"],
    "a Date without parentheses": ["src/kernel/der/a.ts", "export const a = new Date;", "the clock"],
    "a Date that is called": ["src/kernel/der/a.ts", "export const a = Date();", "the clock"],
    "the network in a rule": ["src/controller/judging/rules/a.ts", 'export const a = fetch("x");', "the world"],
    "a global looked up by name": ["src/kernel/der/a.ts", 'export const a = globalThis["process"];', "the world"],
    "a required module": ["src/kernel/der/a.ts", 'export const a = require("fs");', "the world"],
    "logging in a verifier": ["src/attestation/tpm/rules/a.ts", 'console.log("x");', "logging"],
    "a node module in a rule": ["src/authorizer/rules/a.ts", 'import { x } from "node:fs";\nexport { x };', "node:fs"],
  };
  for (const [name, [path, text, what]] of Object.entries(impure)) {
    it(`refuses ${name}`, () => {
      expect(check({ [path]: text }).join("\n")).toContain(what);
    });
  }

  it("refuses what a rule calls: purity is transitive", () => {
    const found = check({
      "src/controller/judging/rules/a.ts": 'import { read } from "../gather.ts";\nexport const a = read;',
      "src/controller/judging/gather.ts": 'import { readFileSync } from "node:fs";\nexport const read = readFileSync;',
    });
    expect(found).toEqual([
      "controller/judging/gather.ts: is called from the pure zone (controller/judging/rules/a.ts) and imports node:fs",
    ]);
  });

  it("allows a rule the types of what is not pure", () => {
    const found = check({
      "src/controller/judging/rules/a.ts": 'import { type Read } from "../gather.ts";\nexport type A = Read;',
      "src/controller/judging/gather.ts": "export type Read = number;\nexport async function read() {}",
    });
    expect(found).toEqual([]);
  });

  it("allows the same outside of it, and words in comments and strings inside", () => {
    const found = check({
      "src/controller/judging/gather.ts": "export async function gather() { return Date.now(); }",
      "src/kernel/der/a.ts": '// Date.now and await are only mentioned\nexport const a = "await Promise Date.now";',
      "src/kernel/der/b.ts": "export const at = (ms: number) => new Date(ms).toISOString();",
    });
    expect(found).toEqual([]);
  });
});
