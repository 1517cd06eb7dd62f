// An export is a promise to other files: each is imported by one of them, and its name means one thing within its top
// folder. A test counts as an importer of the file that declares the name (a unit), not of an index that passes it on.

import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exceeding, readAllowed } from "./ratchet.mjs";
import { PRODUCT, readSources, topFolder } from "./sources.mjs";

/** What the package offers: programs, and the modules that `exports` of package.json names. */
const ENTRANCES = [/^src\/bin\//, /^src\/node\/exec\/provider\.ts$/, /^src\/controller\/importable\.ts$/];
/** Measuring and building are uses too. */
const USERS = [...PRODUCT, "test", "bench", "tools"];

/** @typedef {import("./sources.mjs").Source} Source */

/** @param {string} root @returns {import("./ratchet.mjs").Finding[]} exports of src/ that no other file imports */
export function findUnusedExports(root) {
  const sources = readSources(root, USERS);
  const isUsed = readUses(sources);
  const isPassedOn = new Set(
    sources.flatMap(({ exports }) => exports.flatMap(({ from }) => (from ? [`${from.target}#${from.name}`] : []))),
  );
  return productFiles(sources)
    .filter(({ path }) => path.startsWith("src/") && !ENTRANCES.some((entrance) => entrance.test(path)))
    .flatMap(({ path, exports }) =>
      exports
        .map(({ name }) => ({ name, key: `${path}#${name}` }))
        .filter(({ key }) => !isUsed.has(key) && !isPassedOn.has(key))
        .map(({ name }) => ({ folder: topFolder(path), text: `${path}: no other file imports ${name}` })),
    );
}

/** As `path#name`: every export that another file imports, and what it passes on. @param {Source[]} sources */
function readUses(sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  /** @type {Set<string>} */
  const used = new Set();
  /** @param {string} path @param {string} name */
  const use = (path, name) => {
    used.add(`${path}#${name}`);
    const from = byPath.get(path)?.exports.find((each) => each.name === name)?.from;
    if (from !== undefined) use(from.target, from.name);
  };
  for (const user of sources) {
    for (const imported of user.imports) {
      const offered = byPath.get(imported.target)?.exports ?? [];
      for (const name of usesOf(user, imported, offered)) use(imported.target, name);
    }
  }
  const bench = sources.filter(({ path }) => path.startsWith("bench/")).flatMap(({ lines }) => lines);
  for (const target of partsIn(bench)) {
    for (const name of namesIn({ lines: bench }, byPath.get(target)?.exports ?? [])) use(target, name);
  }
  return used;
}

/** Benchmarks load folders of the build by their names (bench/frame/product.mjs). @param {string[]} lines */
function partsIn(lines) {
  const texts = lines.flatMap((line) => [...line.matchAll(/"([a-z][\w/-]*)"/g)].map((match) => match[1]));
  return new Set(texts.map((text) => `src/${text}/index.ts`));
}

/** @param {Source} user @param {Source["imports"][number]} imported @param {Source["exports"]} offered */
function usesOf(user, { names }, offered) {
  const isTest = user.isTest || user.path.startsWith("test/");
  const wanted = new Set(names === "any" ? namesIn(user, offered) : names);
  return offered
    .filter(({ name, from }) => wanted.has(name) && !(isTest && from !== undefined))
    .map(({ name }) => name);
}

/**
 * A namespace or a dynamic import uses the names that the file mentions.
 * @param {Pick<Source, "lines">} user @param {Source["exports"]} offered
 */
function namesIn({ lines }, offered) {
  const words = new Set(lines.flatMap((line) => line.match(/\w+/g) ?? []));
  return offered.map(({ name }) => name).filter((name) => words.has(name));
}

/**
 * One for each name that several files of a top folder declare.
 * @param {string} root @returns {import("./ratchet.mjs").Finding[]}
 */
export function findSharedNames(root) {
  /** @type {Map<string, { folder: string, name: string, paths: string[] }>} */
  const declared = new Map();
  for (const { path, exports } of productFiles(readSources(root, PRODUCT))) {
    const folder = topFolder(path);
    for (const { name } of exports.filter(({ from }) => from === undefined)) {
      const entry = declared.get(`${folder}#${name}`) ?? { folder, name, paths: [] };
      entry.paths.push(path);
      declared.set(`${folder}#${name}`, entry);
    }
  }
  return [...declared.values()]
    .filter(({ paths }) => new Set(paths).size > 1)
    .map(({ folder, name, paths }) => ({ folder, text: `${name} is exported by ${paths.join(" and ")}` }));
}

/** @param {Source[]} sources */
function productFiles(sources) {
  return sources.filter(({ path, isTest }) => !isTest && PRODUCT.some((folder) => path.startsWith(`${folder}/`)));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = join(dirname(fileURLToPath(import.meta.url)), "..");
  const problems = [
    ...exceeding("exports without an importer", findUnusedExports(root), readAllowed("unusedExports")),
    ...exceeding("names with two meanings", findSharedNames(root), readAllowed("sharedNames")),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) process.exit(1);
}
