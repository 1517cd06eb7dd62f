// YAML bodies -> a JSON value. Clients that write YAML are people with curl; kubectl sends JSON, also where it says YAML
// (server-side apply), so text that is JSON takes the short way.

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  type Node,
  Parser,
  visit,
  type YAMLMap,
} from "yaml";
import { parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { checkJson, type Json, MAX_JSON_DEPTH, parseJson } from "./json.ts";

/**
 * The YAML parser takes some milliseconds a kilobyte, and the server waits for it. The largest manifests people write are
 * schemas of some hundred kilobytes.
 */
const MAX_YAML_BYTES = 256 * 1024;

const OPENING_BRACE = 0x7b;

/**
 * One document. Fault `malformed` or `limit-exceeded`.
 * differs from upstream: aliases, tags, repeated keys and further documents are refused. Kubernetes unfolds the first, and of
 * the others silently takes some part; nobody who writes them by hand wants either.
 */
export function parseYaml(bytes: Uint8Array): Json {
  if (bytes[0] === OPENING_BRACE) return parseJson(bytes);
  if (bytes.length > MAX_YAML_BYTES)
    throw new Fault("limit-exceeded", `YAML is limited to ${MAX_YAML_BYTES} bytes; JSON may be longer`);
  const document = readDocument(bytes);
  const problem = problemOf(document);
  if (problem !== undefined) throw new Fault("malformed", `the body of the request is not valid YAML: ${problem}`);
  const value = (document.toJS({ maxAliasCount: 0 }) ?? null) as Json;
  checkJson(value);
  return value;
}

/**
 * The library builds its values by recursion, and Node ends the whole process when the stack runs out in the middle of a
 * regular expression. So depth is counted before, on the parser's own stack; some levels of JSON take two places on it.
 */
const MAX_PARSER_STACK = 2 * MAX_JSON_DEPTH;

function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_PARSER_STACK) {
      throw new Fault("malformed", `YAML is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
  }
  yield* parser.end();
}

function readDocument(bytes: Uint8Array): Document.Parsed {
  // The parser would compare every key with every other; problemOf does it in one pass.
  const composer = new Composer({ version: "1.2", schema: "core", uniqueKeys: false });
  try {
    const text = parseUtf8(bytes);
    const [document, ...others] = composer.compose(tokensOf(text), true, text.length);
    if (document !== undefined && others.length === 0) return document;
  } catch (cause) {
    if (isFault(cause)) throw cause;
    throw new Fault("malformed", "the body of the request is not valid YAML", { cause });
  }
  throw new Fault("malformed", "the body of the request is not valid YAML: MULTIPLE_DOCS");
}

/** The parser's own words may quote the input, and the input may hold a secret: only its code is told. */
function problemOf(document: Document.Parsed): string | undefined {
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return error.code;
  let problem: string | undefined;
  visit(document, (_key, node) => {
    problem = isNode(node) ? nodeProblem(node) : undefined;
    return problem === undefined ? undefined : visit.BREAK;
  });
  return problem;
}

/** A tag makes a value what JSON has no word for, or says what is plain anyway. */
function nodeProblem(node: Node): string | undefined {
  if (isAlias(node)) return "it has aliases";
  if (node.tag !== undefined) return "it has tags";
  if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) return "a number is not finite";
  return isMap(node) ? mapProblem(node) : undefined;
}

function mapProblem({ items }: YAMLMap): string | undefined {
  const keys = items.map(({ key }) => (isScalar(key) ? key.value : key));
  if (!keys.every((key) => typeof key === "string")) return "a key is not a string";
  return new Set(keys).size < keys.length ? "a key is repeated" : undefined;
}
