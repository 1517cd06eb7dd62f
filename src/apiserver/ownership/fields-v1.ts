// fieldsV1: the JSON of a set of fields, as it stands in metadata.managedFields.

import { isJsonObject, type Json, MAX_JSON_DEPTH } from "../../kernel/json/index.ts";
import { type FieldSet, NO_FIELDS, sortElements } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/** The root of a set is never a member. */
export function encodeFieldSet(set: FieldSet): Json {
  if (set.children.size === 0) return NOTHING;
  const encoded: Record<string, Json> = set.isMember ? { ".": NOTHING } : {};
  for (const element of sortElements([...set.children.keys()])) {
    encoded[element] = encodeFieldSet(set.children.get(element) ?? NO_FIELDS);
  }
  return encoded;
}

/** Most nodes of a set have nothing below them. */
const NOTHING: Json = {};

/** Undefined when it is no fieldsV1: whoever wrote it, nobody can be held to it. */
export function parseFieldSet(value: unknown): FieldSet | undefined {
  return isJsonObject(value) ? parseNode(value, 0) : undefined;
}

function parseNode(value: unknown, depth: number): FieldSet | undefined {
  if (!isJsonObject(value) || depth > MAX_JSON_DEPTH) return undefined;
  const names = Object.keys(value);
  const children = new Map<PathElement, FieldSet>();
  for (const element of names.filter((name) => name !== ".")) {
    const child = isPathElement(element) ? parseNode(value[element], depth + 1) : undefined;
    if (child === undefined) return undefined;
    children.set(element, child);
  }
  return { isMember: depth > 0 && (names.length === 0 || names.includes(".")), children };
}

function isPathElement(element: string): boolean {
  if (element.startsWith("f:")) return true;
  if (/^i:\d{1,9}$/.test(element)) return true;
  if (!element.startsWith("k:") && !element.startsWith("v:")) return false;
  try {
    const value: unknown = JSON.parse(element.slice(2));
    return element.startsWith("v:") || isJsonObject(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
