// Documents cannot rot in silence: every relative link, every path in backticks and every npm script they name must exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
const PATH_ROOTS = ["src", "sdk", "examples", "console", "test", "bench", "docs", "deploy", "tools"];

/** @param {string} folder @returns {string[]} */
function documents(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist" || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return documents(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** @param {string} file */
function problemsOf(file) {
  const text = readFileSync(file, "utf8");
  const where = relative(root, file);
  const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
  const paths = [...text.matchAll(/`((?:[\w.@-]+\/)+[\w.@-]*)`/g)].map((match) => match[1] ?? "");
  const runs = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map((match) => match[1] ?? "");
  return [
    ...links
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(resolve(dirname(file), link)))
      .map((link) => `${where}: the link ${link} leads nowhere`),
    ...paths
      .filter((path) => PATH_ROOTS.includes(path.split("/")[0] ?? "") && !existsSync(join(root, path)))
      .map((path) => `${where}: the path ${path} does not exist`),
    ...runs.filter((run) => !scripts.includes(run)).map((run) => `${where}: there is no npm script ${run}`),
  ];
}

const problems = documents(root).flatMap(problemsOf);
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exit(1);
