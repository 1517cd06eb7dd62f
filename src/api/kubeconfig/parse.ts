// Kubeconfig text (YAML, of which JSON is a part) to values and back. Limits first: a discovery document comes from a
// server that is not trusted yet.

import { Lexer, Parser, parseDocument, stringify } from "yaml";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Kubeconfig } from "./types.ts";

/** A kubeconfig with a large CA bundle is some 100 KB. */
export const KUBECONFIG_MAX_CHARACTERS = 1_048_576;
/** A file that merges many clusters has hundreds of entries, not thousands. */
const MAX_ENTRIES = 1_000;

interface KubeconfigRules {
  readonly maxCharacters?: number | undefined;
  /**
   * `apiVersion` and `kind` must be there. kubectl takes a file of its user without them; a signed text must say what
   * it is.
   */
  readonly isTyped?: boolean | undefined;
}

export function parseKubeconfig(text: string, rules: KubeconfigRules = {}): Kubeconfig {
  const { maxCharacters = KUBECONFIG_MAX_CHARACTERS, isTyped = false } = rules;
  if (text.length > maxCharacters) {
    throw new Fault("limit-exceeded", `kubeconfig is longer than ${maxCharacters} characters`);
  }
  const root = readYaml(text);
  requireType(root, isTyped);
  return {
    clusters: readNamed(root, "clusters", "cluster") as Kubeconfig["clusters"],
    users: readNamed(root, "users", "user") as Kubeconfig["users"],
    contexts: readNamed(root, "contexts", "context") as Kubeconfig["contexts"],
    currentContext: typeof root["current-context"] === "string" ? root["current-context"] : "",
  };
}

/** A tenant's resource may be of the kind Config too, but never of the version v1. */
function requireType({ apiVersion, kind }: Record<string, unknown>, isTyped: boolean): void {
  const isAbsent = (value: unknown) => !isTyped && (value ?? "") === "";
  if (!isAbsent(kind) && kind !== "Config") {
    throw new Fault("malformed", `kubeconfig has the kind ${spell(kind)}, expected "Config"`);
  }
  if (!isAbsent(apiVersion) && apiVersion !== "v1") {
    throw new Fault("malformed", `kubeconfig has the apiVersion ${spell(apiVersion)}, expected "v1"`);
  }
}

/** Untrusted text, short enough for a message. */
function spell(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 64) ?? "of nothing";
}

/** Keys in the order in which kubectl and kubeadm write them, so that a diff against their files is small. */
export function encodeKubeconfig(config: Kubeconfig): string {
  return stringify(
    {
      apiVersion: "v1",
      clusters: config.clusters.map(({ name, cluster }) => ({ cluster, name })),
      contexts: config.contexts.length === 0 ? null : config.contexts.map(({ name, context }) => ({ context, name })),
      "current-context": config.currentContext,
      kind: "Config",
      users: config.users.length === 0 ? null : config.users.map(({ name, user }) => ({ name, user })),
    },
    { lineWidth: 0, indentSeq: false },
  );
}

function readYaml(text: string): Record<string, unknown> {
  checkDepth(text);
  const document = parseDocument(text, { version: "1.2", schema: "core", logLevel: "error" });
  // A warning is an unknown tag: something that we would read otherwise than its writer meant it.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new Fault("malformed", "kubeconfig is not YAML", { cause: problem });
  const value = unfold(document);
  if (!isRecord(value)) throw new Fault("malformed", "kubeconfig is not a YAML mapping");
  return value;
}

/** A kubeconfig nests six deep, extensions a little deeper; each level takes up to two places on the parser's stack. */
const MAX_PARSER_STACK = 64;

/**
 * The library builds its values by recursion, and Node ends the whole process when the stack runs out at the wrong
 * moment. So depth is counted before, on the parser's own stack.
 */
function checkDepth(text: string): void {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MAX_PARSER_STACK) throw new Fault("limit-exceeded", "kubeconfig is nested too deep");
  }
}

/** No aliases: a document of a few hundred bytes could unfold to gigabytes. */
function unfold(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (cause) {
    throw new Fault("malformed", "kubeconfig has aliases, expected none", { cause });
  }
}

function readNamed(root: Record<string, unknown>, list: string, entry: string): unknown[] {
  const value = root[list] ?? [];
  if (!Array.isArray(value)) throw new Fault("malformed", `kubeconfig field ${list} is not a list`);
  if (value.length > MAX_ENTRIES) throw new Fault("limit-exceeded", `kubeconfig has more than ${MAX_ENTRIES} ${list}`);
  return value.map((item: unknown, index) => {
    if (!isRecord(item) || typeof item["name"] !== "string") {
      throw new Fault("malformed", `kubeconfig entry ${list}[${index}] has no name`);
    }
    const inner = item[entry] ?? {};
    if (!isRecord(inner)) throw new Fault("malformed", `kubeconfig entry ${list}[${index}].${entry} is not a mapping`);
    requireStrings(inner, `${list}[${index}].${entry}`);
    return { name: item["name"], [entry]: inner };
  });
}

const STRING_FIELDS = [
  "server",
  "certificate-authority",
  "certificate-authority-data",
  "tls-server-name",
  "proxy-url",
  "token",
  "tokenFile",
  "client-certificate",
  "client-certificate-data",
  "client-key",
  "client-key-data",
  "cluster",
  "user",
  "namespace",
];

function requireStrings(entry: Record<string, unknown>, path: string): void {
  for (const field of STRING_FIELDS) {
    const value = entry[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      throw new Fault("malformed", `kubeconfig field ${path}.${field} is not a string`);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
