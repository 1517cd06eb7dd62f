// Label selectors as they stand in a query string: `app=web,tier in (a,b),!canary,weight>3`. Pure. Grammar and matching
// follow k8s.io/apimachinery/pkg/labels, so that a selector is refused here when it is refused there.

import { Fault } from "../../kernel/outcome/index.ts";

type LabelOperator = "exists" | "absent" | "in" | "notin" | ">" | "<";

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** For `=` and `!=` the one value; empty for `exists` and `absent`. */
  readonly values: readonly string[];
}

/** All must hold; none: everything matches. */
export type LabelSelector = readonly LabelRequirement[];

/** Fault `malformed` or `limit-exceeded`. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.length > MAX_SELECTOR_LENGTH) {
    throw new Fault("limit-exceeded", `label selector is longer than ${MAX_SELECTOR_LENGTH} characters`);
  }
  const reader = createReader(tokenize(text));
  const requirements: LabelRequirement[] = [];
  if (reader.peek() === undefined) return requirements;
  do requirements.push(parseRequirement(reader));
  while (reader.accept(","));
  if (reader.peek() !== undefined) throw unexpected(reader.peek(), "',' or the end");
  return requirements;
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return MATCHERS[operator](value, values);
  });
}

/** `!=` and `notin` hold for an object without the label; `>` and `<` need a label that is an integer. */
const MATCHERS: Readonly<Record<LabelOperator, (value: string | undefined, values: readonly string[]) => boolean>> = {
  exists: (value) => value !== undefined,
  absent: (value) => value === undefined,
  in: (value, values) => value !== undefined && values.includes(value),
  notin: (value, values) => value === undefined || !values.includes(value),
  ">": (value, [bound]) => isInteger(value) && BigInt(value) > BigInt(bound ?? 0),
  "<": (value, [bound]) => isInteger(value) && BigInt(value) < BigInt(bound ?? 0),
};

function isInteger(value: string | undefined): value is string {
  return value !== undefined && isInt64(value);
}

/** Behind blanks: a symbol, longest first, or a run of anything else up to a symbol or blank; or the end. */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!,()<>]|[^ \t\r\n=!,()<>]+)|$)/g;

function tokenize(text: string): string[] {
  return [...text.matchAll(TOKEN)].map(([, token]) => token).filter((token) => token !== undefined);
}

interface Reader {
  peek(): string | undefined;
  take(): string | undefined;
  /** Takes the token if it is the wanted one. */
  accept(wanted: string): boolean;
}

function createReader(tokens: readonly string[]): Reader {
  let position = 0;
  const peek = () => tokens[position];
  return {
    peek,
    take: () => tokens[position++],
    accept: (wanted) => {
      if (peek() !== wanted) return false;
      position += 1;
      return true;
    },
  };
}

function parseRequirement(reader: Reader): LabelRequirement {
  const isAbsent = reader.accept("!");
  const key = takeWord(reader, "a label key");
  checkLabelKey(key);
  if (isAbsent) return { key, operator: "absent", values: [] };
  if (reader.peek() === undefined || reader.peek() === ",") return { key, operator: "exists", values: [] };
  const symbol = reader.take() ?? "";
  const values = symbol === "in" || symbol === "notin" ? parseSet(reader) : [parseValue(reader)];
  const requirement = { key, operator: operatorOf(symbol), values };
  checkValues(requirement);
  return requirement;
}

function operatorOf(symbol: string): LabelOperator {
  if (symbol === "=" || symbol === "==" || symbol === "in") return "in";
  if (symbol === "!=" || symbol === "notin") return "notin";
  if (symbol === ">" || symbol === "<") return symbol;
  throw unexpected(symbol, "one of =, ==, !=, in, notin, >, <");
}

function checkValues({ key, operator, values }: LabelRequirement): void {
  for (const value of values) {
    checkLabelValue(value);
    if ((operator === ">" || operator === "<") && !isInt64(value)) {
      throw new Fault("malformed", `label selector compares ${key} with ${JSON.stringify(value)}, which is no integer`);
    }
  }
}

/** `(a,b)`; an empty place between commas is the empty value, an empty pair of parentheses is a mistake. */
function parseSet(reader: Reader): string[] {
  if (!reader.accept("(")) throw unexpected(reader.peek(), "'('");
  if (reader.peek() === ")") throw unexpected(")", "a value");
  const values: string[] = [];
  do values.push(isWord(reader.peek()) ? (reader.take() ?? "") : "");
  while (reader.accept(","));
  if (!reader.accept(")")) throw unexpected(reader.peek(), "',' or ')'");
  return values;
}

/** Nothing behind the operator is the empty value. */
function parseValue(reader: Reader): string {
  if (reader.peek() === undefined || reader.peek() === ",") return "";
  return takeWord(reader, "a label value");
}

function takeWord(reader: Reader, what: string): string {
  const token = reader.take();
  if (token === undefined || !isWord(token)) throw unexpected(token, what);
  return token;
}

function isWord(token: string | undefined): boolean {
  return token !== undefined && !/^[=!,()<>]/.test(token);
}

function unexpected(token: string | undefined, expected: string): Fault {
  const found = token === undefined ? "the end" : JSON.stringify(token);
  return new Fault("malformed", `unable to parse requirement: found ${found}, expected ${expected}`);
}

// What may stand in a selector: the syntax of label keys and values (k8s.io/apimachinery/pkg/util/validation) and the
// limits.

/**
 * Node refuses request headers above 16 KiB, so a longer selector cannot come in a query; it would be a mistake in a
 * call.
 */
export const MAX_SELECTOR_LENGTH = 16_384;

const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** `name` or `prefix/name`, the prefix a DNS subdomain. */
function checkLabelKey(key: string): void {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  if (slash !== -1 && !isDnsSubdomain(key.slice(0, slash))) {
    throw new Fault("malformed", `label key ${JSON.stringify(key)} must have a DNS subdomain before the slash`);
  }
  if (!isName(name)) {
    throw new Fault(
      "malformed",
      `label key ${JSON.stringify(key)} must be at most ${MAX_NAME_LENGTH} letters, digits, '-', '_' or ` +
        "'.', with a letter or digit at both ends",
    );
  }
}

function checkLabelValue(value: string): void {
  if (value === "" || isName(value)) return;
  throw new Fault(
    "malformed",
    `label value ${JSON.stringify(value)} must be empty or at most ${MAX_NAME_LENGTH} letters, digits, ` +
      "'-', '_' or '.', with a letter or digit at both ends",
  );
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text);
}

function isDnsSubdomain(text: string): boolean {
  return text.length <= MAX_PREFIX_LENGTH && DNS_SUBDOMAIN.test(text);
}

const MAX_INT64 = 9_223_372_036_854_775_807n;
const MIN_INT64 = -9_223_372_036_854_775_808n;

/** What Go's strconv.ParseInt(text, 10, 64) takes; the length is bounded so that no long number is ever built. */
function isInt64(text: string): boolean {
  if (text.length > MAX_NAME_LENGTH || !/^-?[0-9]+$/.test(text)) return false;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64;
}
