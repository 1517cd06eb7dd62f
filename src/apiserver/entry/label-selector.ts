// Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Behaviour of k8s.io/apimachinery/pkg/labels/selector.go:
// comma is AND; `!=` and `notin` also match an object without the label.

const MAX_TERMS = 64;
const MAX_SELECTOR_CHARACTERS = 16_384;

export type LabelOperator = "in" | "notin" | "exists" | "absent" | "greater" | "less";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

const KEY = "(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const EXISTS = new RegExp(`^(!?)\\s*(${KEY})$`);
const EQUALS = new RegExp(`^(${KEY})\\s*(==|!=|=|<|>)\\s*([^\\s]*)$`);
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

/** Undefined when the text does not parse; an empty text requires nothing. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] | undefined {
  if (text.trim() === "") return [];
  if (text.length > MAX_SELECTOR_CHARACTERS) return undefined;
  const terms = splitOutsideParentheses(text);
  if (terms.length > MAX_TERMS) return undefined;
  const requirements: LabelRequirement[] = [];
  for (const term of terms) {
    const requirement = parseTerm(term.trim());
    if (requirement === undefined) return undefined;
    requirements.push(requirement);
  }
  return requirements;
}

export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> = {},
): boolean {
  return requirements.every((one) => matches(one, Object.hasOwn(labels, one.key) ? labels[one.key] : undefined));
}

function matches({ operator, values }: LabelRequirement, actual: string | undefined): boolean {
  switch (operator) {
    case "exists":
      return actual !== undefined;
    case "absent":
      return actual === undefined;
    case "in":
      return actual !== undefined && values.includes(actual);
    case "notin":
      return actual === undefined || !values.includes(actual);
    default:
      return actual !== undefined && compare(operator, actual, values[0] ?? "");
  }
}

function compare(operator: "greater" | "less", actual: string, bound: string): boolean {
  if (!/^-?\d+$/.test(actual)) return false;
  return operator === "greater" ? BigInt(actual) > BigInt(bound) : BigInt(actual) < BigInt(bound);
}

function splitOutsideParentheses(text: string): string[] {
  const terms: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    else if (text[at] === "," && depth === 0) {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string): LabelRequirement | undefined {
  return parseExistence(term) ?? parseSet(term) ?? parseComparison(term);
}

function parseExistence(term: string): LabelRequirement | undefined {
  const [, not, key] = EXISTS.exec(term) ?? [];
  return key === undefined ? undefined : { key, operator: not === "!" ? "absent" : "exists", values: [] };
}

function parseSet(term: string): LabelRequirement | undefined {
  const [, key, operator, list = ""] = SET.exec(term) ?? [];
  if (key === undefined) return undefined;
  const values = list.split(",").map((value) => value.trim());
  return checked({ key, operator: operator === "in" ? "in" : "notin", values });
}

function parseComparison(term: string): LabelRequirement | undefined {
  const [, key, sign = "", value = ""] = EQUALS.exec(term) ?? [];
  return key === undefined ? undefined : comparison(key, sign, value);
}

function comparison(key: string, sign: string, value: string): LabelRequirement | undefined {
  if (sign === "<" || sign === ">") {
    return /^-?\d{1,18}$/.test(value)
      ? { key, operator: sign === ">" ? "greater" : "less", values: [value] }
      : undefined;
  }
  return checked({ key, operator: sign === "!=" ? "notin" : "in", values: [value] });
}

function checked(requirement: LabelRequirement): LabelRequirement | undefined {
  return requirement.values.every((value) => VALUE.test(value)) ? requirement : undefined;
}
