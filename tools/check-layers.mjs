// Imports point down, and a machine says so: the table of layers.json between top folders, its list of sub-folders inside
// of one, no cycles, and a pure zone without async code, clock, randomness, process or logging. Type-only imports count: a type dependency is a dependency.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * `inside` lists the sub-folders of a top folder from above: each may import those after it. Files that lie directly in
 * the top folder stand above all of them, unless the list names them.
 * @typedef {{ imports: Record<string, string[]>, also: Record<string, string[]>, inside: Record<string, string[]>,
 *   never: { from: string, to: string }[],
 *   apart: { from: string, to: string[] }[],
 *   packages: Record<string, string[]>,
 *   pure: { folders: string[], folderNames: string[], fileNames: string[], banned: Record<string, string> } }} Layers
 * @typedef {{ path: string, text: string, imports: { specifier: string, target: string | undefined, isType: boolean }[] }} Source
 */

const SPECIFIER =
  /(?:^|[\s;}])(?:import|export)\b(?:[^"';]*?\bfrom)?\s*["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;

/** Paths are relative to `src/`; members of the workspace count as folders beside it. @param {string} root @param {Layers} layers */
export function checkLayers(root, layers) {
  const sources = readSources(root);
  return [
    ...sources.flatMap((source) => checkImports(source, layers)),
    ...findCycles(sources),
    ...checkApart(sources, layers),
    ...checkPureZone(sources, layers),
  ];
}

/** @param {string} root @returns {Source[]} */
function readSources(root) {
  const folders = ["src", "sdk/src", "examples"];
  const files = folders.flatMap((folder) => walk(join(root, folder)));
  return files.map((file) => {
    const text = withoutComments(readFileSync(file, "utf8"));
    const imports = [...withoutTemplates(text).matchAll(SPECIFIER)].map((match) => {
      const specifier = match[1] ?? match[2] ?? "";
      const isType = isTypeOnly(match[0]);
      return {
        specifier,
        isType,
        target: specifier.startsWith(".") ? pathOf(root, resolve(dirname(file), specifier)) : undefined,
      };
    });
    return { path: pathOf(root, file), text, imports };
  });
}

/** @param {string} folder @returns {string[]} */
function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["dist", "node_modules"].includes(entry.name) ? [] : walk(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** @param {string} root @param {string} file */
function pathOf(root, file) {
  const path = relative(root, file).split(sep).join("/");
  return path.replace(/^src\//, "").replace(/^sdk\/src\//, "sdk/");
}

/** @param {string} text */
function withoutComments(text) {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g,
    (_, quoted) => quoted ?? " ",
  );
}

/** A template of source text has imports that are not this file's. @param {string} text */
function withoutTemplates(text) {
  return text.replace(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|`(?:[^`\\]|\\.)*`/g, (_, quoted) => quoted ?? "``");
}

/** @param {Source} source @param {Layers} layers */
function checkImports(source, layers) {
  const folder = top(source.path);
  const allowed = layers.imports[folder];
  if (allowed === undefined) return [`${source.path}: the folder ${folder} is not in tools/layers.json`];
  const also = Object.entries(layers.also).filter(([prefix]) => source.path.startsWith(prefix));
  const mayImport = [...allowed, ...also.flatMap(([, more]) => more)];
  return source.imports.flatMap(({ specifier, target }) => {
    if (target === undefined) return checkPackage(source.path, { specifier, mayImport }, layers);
    const never = layers.never.find((rule) => rule.from === source.path && rule.to === target);
    if (never !== undefined) return [`${source.path}: must never import ${target}`];
    if (target.startsWith("../") || target.startsWith("test/"))
      return [`${source.path}: imports ${specifier}, which is outside the sources`];
    if (top(target) === folder) return checkInside(source.path, target, layers.inside[folder]);
    return checkTarget(source.path, target, mayImport);
  });
}

/** @param {string} path @param {string} target @param {string[]} mayImport */
function checkTarget(path, target, mayImport) {
  if (!mayImport.some((prefix) => target === prefix || target.startsWith(`${prefix}/`))) {
    return [`${path}: may not import ${target}; ${top(path)} may import ${mayImport.join(", ") || "nothing"}`];
  }
  // A file that the table names is an entrance of its own, as each end of a provider is.
  if (!target.endsWith("/index.ts") && !mayImport.includes(target))
    return [`${path}: imports ${target}; another folder is entered through its index.ts`];
  return [];
}

/** @param {string} path @param {string} target @param {string[] | undefined} order */
function checkInside(path, target, order) {
  const [from = "", to = ""] = [path, target].map((file) => file.split("/")[1]);
  if (order === undefined || from === to) return [];
  const unknown = [path, target].find(
    (file) => file.split("/").length > 2 && !order.includes(file.split("/")[1] ?? ""),
  );
  if (unknown !== undefined) return [`${unknown}: its folder is not in the list of ${top(path)} in tools/layers.json`];
  const below = order.slice(order.indexOf(from) + 1);
  const isAbove = !order.includes(from) && !order.includes(to);
  if (isAbove || below.includes(to)) return [];
  return [
    `${path}: may not import ${target}; inside ${top(path)}, ${from} may import ${below.join(", ") || "nothing"}`,
  ];
}

/** @param {string} path @param {{ specifier: string, mayImport: string[] }} imported @param {Layers} layers */
function checkPackage(path, { specifier, mayImport }, layers) {
  if (specifier.startsWith("@countersign/sdk")) {
    return mayImport.includes("sdk") ? [] : [`${path}: may not import the sdk`];
  }
  const name = Object.keys(layers.packages).find((known) => specifier === known || specifier.startsWith(`${known}/`));
  const where = name === undefined ? undefined : layers.packages[name];
  if (where === undefined && !specifier.startsWith("node:")) {
    return [`${path}: imports ${specifier}, which is not in tools/layers.json; a dependency has a place and a reason`];
  }
  if (where !== undefined && !where.some((prefix) => path.startsWith(prefix))) {
    return [`${path}: may not import ${specifier}; it belongs to ${where.join(", ")}`];
  }
  return [];
}

/** Types are erased: they bring no code along. @param {string} statement */
function isTypeOnly(statement) {
  if (/^\W*(?:import|export)\s+type\b/.test(statement)) return true;
  const names =
    /\{([^}]*)\}/
      .exec(statement)?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  return names.length > 0 && names.every((name) => name.startsWith("type "));
}

/** Purity is transitive: a rule that calls what reads files reads files. @param {Source[]} sources @param {Layers} layers */
function checkPureZone(sources, layers) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  /** @type {Map<string, string>} each file that must be pure, and the file of the zone that needs it so */
  const needed = new Map();
  const queue = sources.filter(({ path }) => isPure(path, layers)).map(({ path }) => ({ path, by: path }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (needed.has(next.path)) continue;
    needed.set(next.path, next.by);
    for (const { target, isType } of byPath.get(next.path)?.imports ?? []) {
      if (target !== undefined && !isType) queue.push({ path: target, by: next.by });
    }
  }
  return [...needed].flatMap(([path, by]) => {
    const source = byPath.get(path);
    const how = path === by ? "is in the pure zone" : `is called from the pure zone (${by})`;
    return source === undefined ? [] : checkPurity(source, how, layers);
  });
}

/** @param {Source} source @param {string} how @param {Layers} layers */
function checkPurity(source, how, layers) {
  const text = source.text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
  const found = Object.entries(layers.pure.banned).filter(([, pattern]) => new RegExp(pattern).test(text));
  const isInZone = isPure(source.path, layers);
  const world = source.imports.filter(({ specifier, target, isType }) => {
    if (target !== undefined) return top(target) === "platform" && (isInZone || !isType);
    return specifier.startsWith("node:") && !(specifier === "node:crypto" && source.path.startsWith("kernel/crypto/"));
  });
  return [
    ...found.map(([what]) => `${source.path}: ${how} and uses ${what}`),
    ...world.map(({ specifier }) => `${source.path}: ${how} and imports ${specifier}`),
  ];
}

/** What must not be loaded by a folder, not even through other files. @param {Source[]} sources @param {Layers} layers */
function checkApart(sources, layers) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return layers.apart.flatMap(({ from, to }) => {
    const trails = loadedBy(
      sources.filter(({ path }) => path.startsWith(from)),
      byPath,
    );
    const isForbidden = (/** @type {string} */ path) => to.some((prefix) => path.startsWith(prefix));
    return trails
      .filter((trail) => isForbidden(trail.at(-1) ?? ""))
      .map((trail) => `${from} must not load ${trail.join(" -> ")}`);
  });
}

/** Each file that these load, with the way to it; types are erased. @param {Source[]} sources @param {Map<string, Source>} byPath */
function loadedBy(sources, byPath) {
  const trails = sources.map(({ path }) => [path]);
  const seen = new Set(sources.map(({ path }) => path));
  for (const trail of trails) {
    for (const { target, isType } of byPath.get(trail.at(-1) ?? "")?.imports ?? []) {
      if (target === undefined || isType || seen.has(target)) continue;
      seen.add(target);
      trails.push([...trail, target]);
    }
  }
  return trails;
}

/** @param {string} path @param {Layers} layers */
function isPure(path, layers) {
  const parts = path.split("/");
  return (
    layers.pure.folders.some((folder) => path.startsWith(folder)) ||
    parts.slice(0, -1).some((part) => layers.pure.folderNames.includes(part)) ||
    layers.pure.fileNames.includes(parts.at(-1) ?? "")
  );
}

/** @param {Source[]} sources */
function findCycles(sources) {
  const graph = new Map(
    sources.map(({ path, imports }) => [path, imports.flatMap(({ target }) => (target === undefined ? [] : [target]))]),
  );
  /** @type {Map<string, "open" | "done">} */
  const state = new Map();
  /** @type {string[]} */
  const problems = [];
  /** @param {string} path @param {string[]} trail */
  const visit = (path, trail) => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      problems.push(`import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" -> ")}`);
      return;
    }
    state.set(path, "open");
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    state.set(path, "done");
  };
  for (const { path } of sources) visit(path, []);
  return problems;
}

/** @param {string} path */
function top(path) {
  return path.split("/")[0] ?? "";
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const here = dirname(fileURLToPath(import.meta.url));
  const problems = checkLayers(join(here, ".."), JSON.parse(readFileSync(join(here, "layers.json"), "utf8")));
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exit(1);
}
