// What the programs load before they know what is wanted of them: told from the graph of chunks, not from a clock.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { BUNDLED_PROGRAMS, bundlePrograms, DISPATCHERS, encodeManifests, MANIFESTS } from "./bundle.mjs";

type Outputs = Awaited<ReturnType<typeof bundlePrograms>>["outputs"];

const work = mkdtempSync(join(tmpdir(), "countersign-bundle-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

let outputs: Outputs;
beforeAll(async () => {
  ({ outputs } = await bundlePrograms(work, { write: false }));
}, 60_000);

/** The sources in a chunk and in all that it imports at once. */
function loadedWith(chunk: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  const { inputs = {}, imports = [] } = outputs[chunk] ?? {};
  const atOnce = imports.filter(({ kind, external }) => kind === "import-statement" && external !== true);
  return [...Object.keys(inputs), ...atOnce.flatMap(({ path }) => loadedWith(path, seen))];
}

const chunkOf = (source: string) => {
  const [found = ""] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? [];
  return found;
};

const foldersOf = (sources: readonly string[]) =>
  [...new Set(sources.filter((path) => path.startsWith("src/")).map((path) => path.split("/")[1] ?? ""))].sort();

const root = fileURLToPath(new URL("..", import.meta.url));
const { bin }: { bin: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

describe("the bundled programs", () => {
  it.each(Object.values(bin))("%s can be run after every build: npx runs it as it is", (path) => {
    expect(statSync(join(root, path)).mode & 0o111).toBe(0o111);
  });

  it.each(BUNDLED_PROGRAMS)("%s is made of src/ and of what npm installs", (name) => {
    const strangers = loadedWith(chunkOf(`src/bin/${name}.ts`)).filter((path) => !/^(src|node_modules)\//.test(path));
    expect(strangers).toEqual([]);
  });

  it("countersign knows its commands without loading one", () => {
    const loaded = loadedWith(chunkOf("src/bin/countersign.ts"));
    expect(foldersOf(loaded)).toEqual(["bin", "cli", "kernel", "platform"]);
    expect(loaded.filter((path) => path.startsWith("src/cli/commands/"))).toEqual([]);
    expect(loaded.filter((path) => path.startsWith("node_modules/") && !/\/commander\//.test(path))).toEqual([]);
  });

  it("a command loads no API server, unless it runs one", () => {
    const running = ["src/cli/commands/cluster/demo.ts", "src/cli/commands/cluster/up.ts"];
    const commands = Object.values(outputs).flatMap(({ entryPoint = "" }) =>
      entryPoint.startsWith("src/cli/commands/") ? [entryPoint] : [],
    );
    expect(commands.length).toBeGreaterThan(25);
    const serving = commands.filter((source) => foldersOf(loadedWith(chunkOf(source))).includes("apiserver"));
    expect(serving.sort()).toEqual(running);
  });

  it("an API server loads no controller before it starts one", () => {
    expect(foldersOf(loadedWith(chunkOf("src/cli/commands/cluster/up.ts")))).not.toContain("controller");
  });

  it("of undici only the dispatchers are inside", () => {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.some((path) => path.endsWith("undici/lib/dispatcher/pool.js"))).toBe(true);
    expect(inputs.filter((path) => /undici\/lib\/(mock|cache|web\/(fetch\/index|websocket))/.test(path))).toEqual([]);
  });
});

describe("undici as the bundled programs have it", () => {
  it("is all that src/ asks of it, and no more", () => {
    const root = fileURLToPath(new URL("../src/", import.meta.url));
    const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => readFileSync(join(root, path), "utf8"));
    const asked = sources.flatMap((source) => {
      const [, whole] = /const (\w+) = await import\("undici"\)/.exec(source) ?? [];
      const members = whole === undefined ? [] : [...source.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, "g"))];
      const picked = [...source.matchAll(/(?:const|import) \{([^}]*)\} (?:= await import\(|from )"undici"/g)];
      const names = picked.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim().split(/:| as /)[0]));
      const found = [...members.map(([, name]) => name), ...names].map(String);
      // Every way to write it is one of the two, or none is asked for at all.
      expect(found.length > 0).toBe(/^(?!import type |.*\/\/).*"undici"/m.test(source));
      return found;
    });
    expect([...new Set(asked)].sort()).toEqual(Object.keys(DISPATCHERS).sort());
  });
});

describe("the manifests beside the code", () => {
  it.each(MANIFESTS)("%s says in JSON what it says in YAML", (name) => {
    encodeManifests(work);
    const yaml = readFileSync(new URL(`../deploy/${name}`, import.meta.url), "utf8");
    const json = readFileSync(join(work, "deploy", name.replace(/yaml$/, "json")), "utf8");
    expect(JSON.parse(json)).toEqual(parseAllDocuments(yaml).map((document) => document.toJS()));
  });
});
