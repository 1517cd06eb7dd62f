// YAML bodies -> a JSON value. Clients that write YAML are people with curl; kubectl sends JSON, also where the media
// type is YAML (server-side apply), so text that is JSON is parsed as JSON. Repeated keys, tags and further documents
// are read as sigs.k8s.io/yaml does: the last key counts, a tag decides the type, and only the first document is read.

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type ScalarTag,
  visit,
  type YAMLMap,
} from "yaml";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { checkJson, type Json, MAX_JSON_DEPTH, parseJson } from "../../kernel/json/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";

/**
 * The YAML parser takes some microseconds for each lexeme (a word, a mark, a line break), and its second half cannot be
 * done in steps. Manifests written by hand have one for every three or four bytes.
 */
const MAX_YAML_BYTES = 256 * 1024;
const MAX_LEXEMES = 60_000;
/** Some milliseconds. */
const LEXEMES_A_STEP = 2_000;

const OPENING_BRACE = 0x7b;

/** By the bytes of a body: the complaints about its repeated keys. */
const complaints = new WeakMap<Uint8Array, string>();

/** The complaints about a body that was parsed before; undefined when it repeats no key. */
export function repeatedKeysOf(bytes: Uint8Array): string | undefined {
  return complaints.get(bytes);
}

/**
 * The first document. Fault `malformed` or `limit-exceeded`. differs from upstream: aliases are refused there only when
 * they unfold to too much, here always; so are binary tags and keys that are not scalars. Manifests do not need them.
 */
export function parseYaml(bytes: Uint8Array): Json {
  const steps = parseInSteps(bytes);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** The same, with a pause between two steps. */
export async function parseYamlInSteps(bytes: Uint8Array, pause: () => Promise<unknown>): Promise<Json> {
  const steps = parseInSteps(bytes);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await pause();
  }
}

function* parseInSteps(bytes: Uint8Array): Generator<void, Json> {
  const json = bytes[0] === OPENING_BRACE ? jsonOf(bytes) : undefined;
  if (json !== undefined) return json;
  if (bytes.length > MAX_YAML_BYTES)
    throw new Fault("limit-exceeded", `YAML is limited to ${MAX_YAML_BYTES} bytes; JSON may be longer`);
  const lines = new LineCounter();
  const document = yield* readDocument(bytes, lines);
  yield;
  const problem = problemOf(document);
  if (problem !== undefined) throw malformedYaml(problem);
  const repeated = repeatedKeys(document, lines);
  if (repeated.length > 0) complaints.set(bytes, `yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`);
  const value = (document.toJS({ maxAliasCount: 0 }) ?? null) as Json;
  checkJson(value);
  return value;
}

/** Text in braces may be JSON, or YAML that looks like it; undefined for the latter. */
function jsonOf(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (isFault(error, "malformed")) return undefined;
    throw error;
  }
}

function malformedYaml(problem: string, cause?: unknown): Fault {
  return new Fault("malformed", `the body of the request is not valid YAML: ${problem}`, { cause });
}

/**
 * The library builds its values by recursion, and Node ends the whole process when the stack runs out in the middle of
 * a regular expression. So depth is counted before, on the parser's own stack; some levels of JSON take two places on
 * it.
 */
const MAX_PARSER_STACK = 2 * MAX_JSON_DEPTH;

/** The tokens of the first document; text after it is not read. */
function* firstTokens(text: string, lines: LineCounter): Generator<void, readonly CST.Token[]> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  let pauseAt = LEXEMES_A_STEP;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "document") return tokens;
    }
    lexemes += weightOf(lexeme);
    checkSize(lexemes, parser.stack.length);
    if (lexemes >= pauseAt) {
      pauseAt = lexemes + LEXEMES_A_STEP;
      yield;
    }
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The parser takes longer for a comment than for any other lexeme. */
function weightOf(lexeme: string): number {
  return lexeme.startsWith("#") ? 3 : 1;
}

function checkSize(lexemes: number, depth: number): void {
  if (depth > MAX_PARSER_STACK) throw new Fault("malformed", `YAML is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (lexemes > MAX_LEXEMES)
    throw new Fault("limit-exceeded", `YAML is limited to ${MAX_LEXEMES} words and marks; JSON may be longer`);
}

/** Kubernetes reads YAML 1.1: `yes` and `on` are true, and the mode 0644 is octal. */
const OLD_BOOLEAN: ScalarTag = {
  tag: "tag:yaml.org,2002:bool",
  default: true,
  test: /^(?:[yY]|yes|Yes|YES|on|On|ON|[nN]|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};
const OLD_OCTAL: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^[-+]?0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

function* readDocument(bytes: Uint8Array, lines: LineCounter): Generator<void, Document.Parsed> {
  // The parser would compare every key with every other; repeatedKeys does it in one pass.
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    logLevel: "silent",
    customTags: (tags) => [OLD_BOOLEAN, OLD_OCTAL, ...tags],
  });
  try {
    const text = parseUtf8(bytes);
    const tokens = yield* firstTokens(text, lines);
    yield;
    for (const document of composer.compose(tokens, true, text.length)) return document;
  } catch (cause) {
    if (isFault(cause)) throw cause;
    throw malformedYaml("it cannot be read", cause);
  }
  throw malformedYaml("it holds no document");
}

/** The parser's message may quote the input, and the input may hold a secret: only its code is reported. */
function problemOf(document: Document.Parsed): string | undefined {
  const [error] = [...document.errors, ...document.warnings.filter(({ code }) => code !== "TAG_RESOLVE_FAILED")];
  if (error !== undefined) return error.code;
  let problem: string | undefined;
  visit(document, (_key, node) => {
    problem = isNode(node) ? nodeProblem(node) : undefined;
    return problem === undefined ? undefined : visit.BREAK;
  });
  return problem;
}

const BINARY = "tag:yaml.org,2002:binary";

function nodeProblem(node: Node): string | undefined {
  if (isAlias(node)) return "it has aliases";
  if (node.tag === BINARY) return "it has binary values";
  if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) return "a number is not finite";
  return isMap(node) && !node.items.every(({ key }) => isTextual(key)) ? "a key is not a string" : undefined;
}

/** Numbers and truth values become the strings that they are written as. */
function isTextual(key: unknown): boolean {
  return isScalar(key) && ["string", "number", "boolean"].includes(typeof key.value);
}

/** More than a person reads. */
const MAX_TOLD_KEYS = 100;

interface Repeated {
  readonly name: string;
  readonly line: number;
}

/** `line 3: key "a" already set in map`, in the order of the body. */
function repeatedKeys(document: Document.Parsed, lines: LineCounter): readonly string[] {
  const found: Repeated[] = [];
  visit(document, { Map: (_key, map) => void found.push(...repeatedIn(map, lines)) });
  found.sort((one, other) => one.line - other.line);
  const told = found.slice(0, MAX_TOLD_KEYS);
  return told.map(({ name, line }) => `line ${line}: key ${JSON.stringify(name)} already set in map`);
}

function repeatedIn({ items }: YAMLMap, lines: LineCounter): readonly Repeated[] {
  const seen = new Set<string>();
  return items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : "";
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst ? [] : [{ name, line: lines.linePos(startOf(value) ?? startOf(key) ?? 0).line }];
  });
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
