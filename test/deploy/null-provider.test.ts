// The null provider says yes to everything. It may renew, and it proves nothing: in anybody's cluster it would be a
// back door. So it is looked for in every artifact that can leave this repository, by the files that went in and by the
// words that came out.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { AUTHENTICATORS, bundlePlugin, bundlePrograms, pluginEntry, shippedPlugin } from "../../tools/bundle.mjs";
import { bundleWhole, PROGRAMS } from "../../tools/single-file.mjs";
import { createNullProvider, NULL_CLIENT_SIGNER } from "../providers/null/index.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "countersign-artifacts-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** What only the null provider's sources say. */
const MARKS = [NULL_CLIENT_SIGNER, createNullProvider.name, "kubelet-authenticator-null", "providers/null"];
const marksIn = (text: string) => MARKS.filter((mark) => text.includes(mark));

/** npm's own list of what a package would hold. */
function packedFiles(folder: string): readonly string[] {
  const text = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(text);
  return packed.files.map(({ path }: { path: string }) => path);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
}

describe("the null provider", () => {
  it("is found by these marks where it is", () => {
    const own = filesBelow(join(ROOT, "test/providers/null")).map((path) => readFileSync(path, "utf8"));
    expect(marksIn(own.join())).toEqual(expect.arrayContaining(MARKS.slice(0, 3)));
  });

  it("is not in the npm package, by name or by content", () => {
    const files = packedFiles(ROOT);
    expect(files).toContain("dist/bin/countersign.js");
    expect(files.filter((path) => /^(test|bench|examples)\//.test(path) || /null/.test(path))).toEqual([]);
    const said = files.filter((path) => existsSync(join(ROOT, path)) && /\.(c?js|json|ts|yaml)$/.test(path));
    expect(said.filter((path) => marksIn(readFileSync(join(ROOT, path), "utf8")).length > 0)).toEqual([]);
  });

  const plugins = [...AUTHENTICATORS.map((name) => shippedPlugin(name, work)), pluginEntry(work)];
  it.each(plugins)("is not in what $source is bundled from", async (plugin) => {
    const { inputs } = await bundlePlugin(plugin, { write: false });
    expect(Object.keys(inputs).length).toBeGreaterThan(1);
    expect(Object.keys(inputs).filter((path) => !path.startsWith("src/"))).toEqual([]);
  });

  it("is not in what the programs are bundled from", async () => {
    const { inputs } = await bundlePrograms(work, { write: false });
    const own = Object.keys(inputs).filter((path) => !/^(node_modules\/|only-dispatchers:)/.test(path));
    expect(own.length).toBeGreaterThan(100);
    expect(own.filter((path) => !path.startsWith("src/"))).toEqual([]);
  });

  it.each(PROGRAMS)("is not in what the single file %s is made from", async (name) => {
    const { inputs } = await bundleWhole(join(ROOT, "src/bin", `${name}.ts`), join(work, name), { write: false });
    const own = Object.keys(inputs).filter(
      (path) => !path.startsWith("node_modules/") && !path.includes("without-storage:"),
    );
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter((path) => !path.startsWith("src/"))).toEqual([]);
  });

  it("is not in the SDK", () => {
    const outDir = join(work, "sdk");
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", join(ROOT, "sdk/tsconfig.build.json"), "--outDir", outDir]);
    const built = filesBelow(outDir);
    expect(built.length).toBeGreaterThan(10);
    expect(built.filter((path) => marksIn(readFileSync(path, "utf8")).length > 0)).toEqual([]);
    const beside = packedFiles(join(ROOT, "sdk")).filter((path) => !/^(dist\/|package\.json$)/.test(path));
    expect(beside).toEqual(["README.md"]);
    expect(marksIn(readFileSync(join(ROOT, "sdk", "README.md"), "utf8"))).toEqual([]);
  });
});
