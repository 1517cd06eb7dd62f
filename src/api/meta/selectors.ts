// Both selectors of a list or watch request as one question about an object.

import { Fault } from "../../kernel/outcome/index.ts";
import { type LabelSelector, MAX_SELECTOR_LENGTH, matchesLabels } from "./label-selector.ts";
import type { KubeObject } from "./object.ts";

interface Selection {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** The text of a selectable field; each kind knows its own. */
  readonly fieldOf: (object: KubeObject, field: string) => string;
}

export function createMatcher({ labels, fields, fieldOf }: Selection): (object: KubeObject) => boolean {
  return (object) =>
    matchesLabels(labels, object.metadata.labels) && matchesFields(fields, (field) => fieldOf(object, field));
}

// Field selectors as they stand in a query string: `metadata.name=web,status.phase!=Running`. Pure. Splitting and
// escaping follow k8s.io/apimachinery/pkg/fields. Which fields a kind offers is known to the kind, not here.

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** All must hold; none: everything matches. */
export type FieldSelector = readonly FieldRequirement[];

/** Fault `malformed` or `limit-exceeded`. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text.length > MAX_SELECTOR_LENGTH) {
    throw new Fault("limit-exceeded", `field selector is longer than ${MAX_SELECTOR_LENGTH} characters`);
  }
  return splitTerms(text)
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, text));
}

/** `textOf` gives the text of a field; what an object lacks counts as empty, as in Kubernetes. */
export function matchesFields(selector: FieldSelector, textOf: (field: string) => string): boolean {
  return selector.every(({ field, operator, value }) => (textOf(field) === value) === (operator === "="));
}

/** The value that the selector wants for a field, when it wants exactly one: `metadata.name=x` asks for one object. */
export function requiredValue(selector: FieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === "=")?.value;
}

/** At commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? [];
}

function parseTerm(term: string, whole: string): FieldRequirement {
  const found = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (found === null) {
    throw new Fault("malformed", `invalid selector: '${whole}'; can't understand '${term}'`);
  }
  const [, field = "", operator, value = ""] = found;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  if (!/^(?:\\[\\,=]|[^\\,=])*$/.test(value)) {
    throw new Fault(
      "malformed",
      `invalid field selector value ${JSON.stringify(value)}: '\\', ',' and '=' must follow a backslash, ` +
        "nothing else may",
    );
  }
  return value.replace(/\\([\\,=])/g, "$1");
}
