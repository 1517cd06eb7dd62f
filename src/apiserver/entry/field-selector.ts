// Field selectors: `metadata.name=x,spec.signerName!=y`. Behaviour of k8s.io/apimachinery/pkg/fields/selector.go:
// comma is AND; `=`, `==`, `!=`; backslash escapes backslash, comma and equals sign in values.

/** A selector is typed by people or built from two or three fields. */
const MAX_TERMS = 64;

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Undefined when the text does not parse; an empty text requires nothing. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] | undefined {
  if (text === "") return [];
  const terms = splitTerms(text);
  if (terms.length > MAX_TERMS) return undefined;
  const requirements: FieldRequirement[] = [];
  for (const term of terms) {
    if (term === "") continue;
    const requirement = parseTerm(term);
    if (requirement === undefined) return undefined;
    requirements.push(requirement);
  }
  return requirements;
}

/** The value that `field` must have exactly, when the selector says so. */
export function requiredValue(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((one) => one.field === field && one.operator === "=")?.value;
}

export function matchesFields(
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean {
  return requirements.every(({ field, operator, value }) => {
    const actual = Object.hasOwn(fields, field) ? (fields[field] ?? "") : "";
    return operator === "=" ? actual === value : actual !== value;
  });
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string): FieldRequirement | undefined {
  const match = /^([^=!\\]*)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) return undefined;
  const [, field = "", operator, raw = ""] = match;
  const value = unescapeValue(raw);
  if (value === undefined) return undefined;
  return { field, operator: operator === "!=" ? "!=" : "=", value };
}

function unescapeValue(raw: string): string | undefined {
  let value = "";
  for (let at = 0; at < raw.length; at += 1) {
    const character = raw[at] ?? "";
    if (character === "," || character === "=") return undefined;
    if (character !== "\\") {
      value += character;
      continue;
    }
    at += 1;
    const escaped = raw[at];
    if (escaped !== "\\" && escaped !== "," && escaped !== "=") return undefined;
    value += escaped;
  }
  return value;
}
