// How the tools of this repository read its sources: as text, because TypeScript 7 has no compiler API in JavaScript.
// The formatter makes that exact: a statement begins a line, and a block ends at the indent where it began.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

/** What the product is made of. */
export const PRODUCT = ["src", "sdk/src", "examples"];
const EXTENSION = /\.(ts|tsx|mjs)$/;
const TEST = /\.test\.tsx?$/;

/**
 * @typedef {{ target: string, names: string[] | "any" }} Import "any" for a namespace or a dynamic import
 * @typedef {{ name: string, from?: { target: string, name: string } }} Export `from` where it only passes a name on
 * @typedef {{ path: string, lines: string[], isTest: boolean, codeLines: number,
 *   functions: { line: number, size: number }[], imports: Import[], exports: Export[] }} Source
 */

/**
 * Paths are relative to `root`, with slashes.
 * @param {string} root @param {readonly string[]} folders @returns {Source[]}
 */
export function readSources(root, folders) {
  return folders.flatMap((folder) => walk(join(root, folder))).map((file) => readSource(root, file));
}

/** @param {string} folder @returns {string[]} */
function walk(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["dist", "node_modules"].includes(entry.name) ? [] : walk(path);
    return EXTENSION.test(entry.name) ? [path] : [];
  });
}

/** @param {string} root @param {string} file @returns {Source} */
function readSource(root, file) {
  const path = relative(root, file).split(sep).join("/");
  const text = readFileSync(file, "utf8");
  const lines = text.replace(/\n$/, "").split("\n");
  const bare = bareCode(text);
  return {
    path,
    lines,
    isTest: TEST.test(path),
    codeLines: lines.filter(isCode).length,
    functions: functionsOf(lines),
    // In JavaScript types are imported in comments.
    imports: importsOf(path, bare, path.endsWith(".mjs") ? text : bare),
    exports: exportsOf(path, bare),
  };
}

/** @param {string} line */
export function isCode(line) {
  return line.trim() !== "" && !/^\s*(\/\/|\/?\*)/.test(line);
}

const NO_FUNCTION = /\b(?:if|for|while|switch|catch|else|try|do|describe|class|interface|return new)\b/;
const OPENER = /^(\s*).*(?:\)|=>)\s*(?::[^{}]*)?\{$/;

/** By shape: from the line that opens a block to the closing brace at the same indent. @param {string[]} lines */
function functionsOf(lines) {
  return lines.flatMap((line, start) => {
    const indent = OPENER.exec(line)?.[1];
    if (indent === undefined || NO_FUNCTION.test(line)) return [];
    const size = lines.slice(start + 1).findIndex((next) => next.startsWith(`${indent}}`)) + 2;
    return [{ line: start + 1, size }];
  });
}

/** What hides imports and exports, or looks like one; strings are matched so that what they hold is not. */
const TOKENS = new RegExp(
  [
    /\\./, // between two templates of which one is inside the other
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/,
    /`(?:[^`\\]|\\.)*`/,
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*/,
    /(?<=[=(,:[!&|?{};]\s*|return )\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Without comments, templates (source text in one is not this file's) and regular expressions. @param {string} text */
function bareCode(text) {
  return text.replace(TOKENS, (_, quoted) => quoted ?? " ");
}

/** The names in `{ a, type b, c as d }`, each with what it is called on the other side. @param {string} list */
function namesOf(list) {
  return list
    .split(",")
    .map((item) => item.trim().replace(/^type /, ""))
    .filter((item) => item !== "")
    .map((item) => {
      const [name = "", as = name] = item.split(/ as /);
      return { name, as };
    });
}

const STATIC_IMPORT = /^import (?:type )?(?:\w+,? ?)?(?:\{([^}]*)\}|\* as \w+)? ?from "([^"]+)"/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*"([^"]+)"/g;

/** @param {string} path @param {string} text @param {string} dynamic where dynamic imports are @returns {Import[]} */
function importsOf(path, text, dynamic) {
  const statics = [...text.matchAll(STATIC_IMPORT)].map(([, list, specifier = ""]) => ({
    target: resolveImport(path, specifier),
    names: list === undefined ? /** @type {const} */ ("any") : namesOf(list).map(({ name }) => name),
  }));
  const dynamics = [...dynamic.matchAll(DYNAMIC_IMPORT)].map(([, specifier = ""]) => ({
    target: resolveImport(path, specifier),
    names: /** @type {const} */ ("any"),
  }));
  return [...statics, ...dynamics];
}

const DECLARED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const UNPACKED = /^export const [[{]([^\]}]*)[\]}] =/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/gm;

/** @param {string} path @param {string} text @returns {Export[]} */
function exportsOf(path, text) {
  const declared = [...text.matchAll(DECLARED)].map(([, name = ""]) => ({ name }));
  const listed = [...text.matchAll(LISTED)].flatMap(([, list = "", specifier]) =>
    namesOf(list).map(({ name, as }) =>
      specifier === undefined ? { name: as } : { name: as, from: { target: resolveImport(path, specifier), name } },
    ),
  );
  const unpacked = [...text.matchAll(UNPACKED)].flatMap(([, list = ""]) => namesOf(list.replaceAll(/\w+: /g, "")));
  return [...declared, ...unpacked.map(({ name }) => ({ name })), ...listed];
}

/** What is imported from the build stands for its source. @param {string} path @param {string} specifier */
function resolveImport(path, specifier) {
  if (specifier === "@countersign/sdk") return "sdk/src/index.ts";
  if (!specifier.startsWith(".")) return specifier;
  const target = posix.join(posix.dirname(path), specifier);
  return target.startsWith("dist/") ? target.replace(/^dist/, "src").replace(/\.c?js$/, ".ts") : target;
}

/** `src/controller/…` belongs to `src/controller`; a member of the workspace to itself. @param {string} path */
export function topFolder(path) {
  const parts = dirname(path).split("/");
  return parts.slice(0, parts[0] === "src" || parts[0] === "examples" ? 2 : 1).join("/");
}
