// One step of a path into an object, written as in fieldsV1: `f:name` a field, `k:{"type":"Ready"}` the list item with
// these keys, `v:"x"` the member of a set, `i:0` a position. Text form of sigs.k8s.io/structured-merge-diff.

import { isJsonObject, type Json } from "../../kernel/json/index.ts";
import type { ListSchema } from "../schema/schema.ts";

export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The name of a field element; undefined for every other kind of element. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** The element of an item of a keyed list or a set; undefined when all its keys are missing. */
export function itemElement(schema: ListSchema, item: Json): PathElement | undefined {
  if (schema.listType === "set") return isScalar(item) ? `v:${JSON.stringify(item)}` : undefined;
  if (!isJsonObject(item)) return undefined;
  let keys = "";
  for (const key of sortedKeys(schema)) {
    const value = item[key] ?? schema.keyDefaults[key];
    // A missing key is left out: items may differ in which keys they have.
    if (value !== undefined) keys += `${keys === "" ? "" : ","}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  return keys === "" ? undefined : `k:{${keys}}`;
}

const sorted = new WeakMap<ListSchema, readonly string[]>();

function sortedKeys(schema: ListSchema): readonly string[] {
  const known = sorted.get(schema) ?? [...schema.keys].sort();
  sorted.set(schema, known);
  return known;
}

function isScalar(value: Json): boolean {
  return value !== null && typeof value !== "object";
}

/** `.spec.containers[name="a"].image`: a path as conflicts show it. */
export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join("");
}

function describeElement(element: PathElement): string {
  const text = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${text}`;
    case "k": {
      const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${text}]`;
    default:
      return `[${text}]`;
  }
}
