// Every relative link, every path in backticks and every npm script that a document names must exist. Sources and
// documents cite headings, rule ids and titles, never numbers of sections, rules, attacks or design documents.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts);
const PATH_ROOTS = ["src", "sdk", "examples", "test", "bench", "docs", "deploy", "tools"];

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

/** Generated, with one line for each rule. */
const DOCUMENTS_WITH_LONG_LINES = ["docs/rules.md"];

/** Their prose keeps the columns; rows of their tables and commands need not. It only shrinks. */
const DOCUMENTS_WITH_LONG_ROWS = ["docs/decisions", "docs/errors.md", "docs/guides", "docs/measurements.md"];

const MAX_COLUMNS = 120;

/** What a number instead of a name looks like, and what to write in its place. */
const NUMBERED = [
  { pattern: /\b[Pp]rotocol,? (?:section )?\d+(?:\.\d+)?\b/, instead: "a heading of docs/protocols/attestation.md" },
  { pattern: /\((?:[1-9]\.\d{1,2})(?:, [1-9]\.\d{1,2})*\)/, instead: "a heading of docs/protocols/attestation.md" },
  { pattern: /(?<!RFC.*)\b[Ss]ection \d/, instead: "a heading" },
  { pattern: /(?<!_H0 to )\b(?:H(?:[1-9]|1\d|20)|P(?:[1-9]|1[0-8]))\b/, instead: "the rule's id" },
  { pattern: /\bseeds? 00\d\b/i, instead: "the document's title" },
  { pattern: /\b(?:threats? )?T[1-8]\b(?![\],>])/, instead: "what the attacker has" },
  { pattern: /\b[Aa]ttacks? \d/, instead: "the attack's words" },
  { pattern: /\b[Vv]ector \d/, instead: "what the vector is of" },
];

/** @param {string} folder @returns {string[]} */
function texts(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist" || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return texts(path);
    return /\.(?:ts|mjs|py|md|yaml)$/.test(entry.name) ? [path] : [];
  });
}

/** @param {string} where @param {readonly string[]} folders */
function isIn(where, folders) {
  return folders.some((folder) => where === folder || where.startsWith(`${folder}/`));
}

/** @param {string} file */
function numbersIn(file) {
  const where = relative(root, file);
  if (where === "tools/check-docs.mjs") return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) =>
      NUMBERED.filter(({ pattern }) => pattern.test(line)).map(
        ({ pattern, instead }) => `${where}:${index + 1}: ${pattern.exec(line)?.[0]} is a number; cite ${instead}`,
      ),
    );
}

/** @param {string} file */
function longLinesOf(file) {
  const where = relative(root, file);
  if (!where.startsWith("docs/") || isIn(where, DOCUMENTS_WITH_LONG_LINES)) return [];
  const mayHaveLongRows = isIn(where, DOCUMENTS_WITH_LONG_ROWS);
  let isCode = false;
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      if (mayHaveLongRows && (isCode || /^\s*(?:\||`[^`]+`\S?$)/.test(line))) return [];
      return [...line].length > MAX_COLUMNS ? [`${where}:${index + 1}: over ${MAX_COLUMNS} columns`] : [];
    });
}

const problems = [
  ...documents(root).flatMap((file) => [...problemsOf(file), ...longLinesOf(file)]),
  ...texts(root).flatMap(numbersIn),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exit(1);
