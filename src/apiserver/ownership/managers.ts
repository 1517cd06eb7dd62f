// metadata.managedFields: which manager owns which fields. One entry for each manager, operation, API version
// and subresource. k8s.io/apimachinery/pkg/util/managedfields.

import { isJsonObject, type Json, MAX_JSON_DEPTH } from "../../kernel/json/index.ts";
import { type FieldSet, NO_FIELDS, sortElements, union } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

export interface FieldWriter {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

export interface Entry {
  readonly writer: FieldWriter;
  /** RFC 3339; absent in entries that a client wrote itself. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** By identity: see writerIdentity. */
export type Managers = ReadonlyMap<string, Entry>;

export const NO_MANAGERS: Managers = new Map();

/** A manager that applies is the same in all API versions. */
export function writerIdentity({ manager, operation, apiVersion, subresource }: FieldWriter): string {
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** Undefined when an entry is invalid: clients may write this field, and an invalid value must not stay. */
export function parseManagers(value: unknown): Managers | undefined {
  if (value === undefined || value === null) return NO_MANAGERS;
  if (!Array.isArray(value)) return undefined;
  const managers = new Map<string, Entry>();
  for (const raw of value) {
    const entry = parseEntry(raw);
    if (entry === undefined) return undefined;
    const identity = writerIdentity(entry.writer);
    const known = managers.get(identity);
    managers.set(identity, known === undefined ? entry : { ...entry, fields: union(known.fields, entry.fields) });
  }
  return managers;
}

function parseEntry(raw: unknown): Entry | undefined {
  if (!isJsonObject(raw)) return undefined;
  const { manager = "", operation, apiVersion = "", subresource = "", time, fieldsType, fieldsV1 } = raw;
  const fields = parseFieldSet(fieldsV1 ?? {});
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (fieldsType !== "FieldsV1" || apiVersion === "" || fields === undefined) return undefined;
  if (typeof manager !== "string" || typeof apiVersion !== "string" || typeof subresource !== "string")
    return undefined;
  return {
    writer: { manager, operation, apiVersion, subresource },
    time: typeof time === "string" ? time : undefined,
    fields,
  };
}

export function encodeManagers(managers: Managers): Json[] {
  return [...managers.values()].sort(compareEntries).map(encodeEntry);
}

function encodeEntry({ writer, time, fields }: Entry): Json {
  const { manager, operation, apiVersion, subresource } = writer;
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldSet(fields),
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** Appliers first, then by time, then by name. */
function compareEntries(one: Entry, other: Entry): number {
  const [a, b] = [one.writer, other.writer];
  const order: readonly (readonly [string, string])[] = [
    [a.operation, b.operation],
    [one.time ?? "~", other.time ?? "~"],
    [a.manager, b.manager],
    [a.apiVersion, b.apiVersion],
    [a.subresource, b.subresource],
  ];
  const [mine = "", theirs = ""] = order.find(([left, right]) => left !== right) ?? [];
  return mine < theirs ? -1 : mine > theirs ? 1 : 0;
}

/** The root of a set is never a member. */
function encodeFieldSet(set: FieldSet): Json {
  if (set.children.size === 0) return NOTHING;
  const encoded: Record<string, Json> = set.isMember ? { ".": NOTHING } : {};
  for (const element of sortElements([...set.children.keys()])) {
    encoded[element] = encodeFieldSet(set.children.get(element) ?? NO_FIELDS);
  }
  return encoded;
}

/** Most nodes of a set have nothing below them. */
const NOTHING: Json = {};

/** Undefined when it is no valid fieldsV1. */
function parseFieldSet(value: unknown): FieldSet | undefined {
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
