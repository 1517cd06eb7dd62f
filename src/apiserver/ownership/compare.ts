// What differs between two versions of an object: fields that were added, modified and removed. Behaviour of
// structured-merge-diff's Compare. `undefined` means absent; null is a value.

import { isJsonObject, isSameJson, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { ANY_ATOMIC, type ListSchema, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, isEmpty, MEMBER, NO_FIELDS } from "./field-set.ts";
import { isAtomic } from "./fields-of.ts";
import { fieldElement, itemElement, type PathElement } from "./path-element.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const SAME: Comparison = { added: NO_FIELDS, modified: NO_FIELDS, removed: NO_FIELDS };
const MODIFIED: Comparison = { ...SAME, modified: MEMBER };

export function isSame({ added, modified, removed }: Comparison): boolean {
  return isEmpty(added) && isEmpty(modified) && isEmpty(removed);
}

type MaybeJson = Json | undefined;

export function compare(before: MaybeJson, after: MaybeJson, schema: Schema): Comparison {
  if (before === after) return SAME;
  if (before === undefined) return { ...SAME, added: everyField(after, schema) };
  if (after === undefined) return { ...SAME, removed: everyField(before, schema) };
  const parts = partsOf(before, after, schema);
  if (parts !== undefined) return compareParts(parts);
  return isSameJson(before, after) ? SAME : MODIFIED;
}

type Change = readonly [element: PathElement, change: Comparison];

function compareParts(parts: readonly Part[]): Comparison {
  const changes: Change[] = [];
  for (const [element, one, other, inner] of parts) {
    const change = compare(one, other, inner);
    if (change !== SAME) changes.push([element, change]);
  }
  if (changes.length === 0) return SAME;
  return { added: pick(changes, "added"), modified: pick(changes, "modified"), removed: pick(changes, "removed") };
}

/** On the path of every write, and most writes change next to nothing: empty sets are not allocated. */
function pick(changes: readonly Change[], which: keyof Comparison): FieldSet {
  let children: Map<PathElement, FieldSet> | undefined;
  for (const [element, change] of changes) {
    if (isEmpty(change[which])) continue;
    children ??= new Map();
    children.set(element, change[which]);
  }
  return children === undefined ? NO_FIELDS : { isMember: false, children };
}

/** All fields of a value that was added or removed: containers and their members. */
function everyField(value: MaybeJson, schema: Schema): FieldSet {
  if (schema.kind === "map" && isAtomic(schema.value) && !isAtomic(schema) && isJsonObject(value))
    return everyKey(value);
  const parts = partsOf(undefined, value, schema);
  if (parts === undefined) return MEMBER;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, , inner, of] of parts) if (inner !== undefined) children.set(element, everyField(inner, of));
  return { isMember: true, children };
}

/** Labels, annotations, data: the largest maps there are. */
function everyKey(map: JsonObject): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const name of Object.keys(map)) children.set(fieldElement(name), MEMBER);
  return children.size === 0 ? MEMBER : { isMember: true, children };
}

type Part = readonly [element: PathElement, before: MaybeJson, after: MaybeJson, schema: Schema];

/** The parts of two containers side by side; undefined when they are leaves. */
function partsOf(before: MaybeJson, after: MaybeJson, schema: Schema): readonly Part[] | undefined {
  if (isAtomic(schema)) return undefined;
  if (schema.kind === "list") {
    const [one, other] = [listOf(before), listOf(after)];
    if (one === undefined || other === undefined || one.length + other.length === 0) return undefined;
    return listParts(one, other, schema);
  }
  const [one, other] = [objectOf(before), objectOf(after)];
  if (one === undefined || other === undefined) return undefined;
  const names = Object.keys(other);
  for (const name of Object.keys(one)) if (!Object.hasOwn(other, name)) names.push(name);
  if (names.length === 0) return undefined;
  return names.map((name): Part => [fieldElement(name), one[name], other[name], memberOf(schema, name) ?? ANY_ATOMIC]);
}

/** Absent and null count as empty; anything else that is no list makes the whole value a leaf. */
function listOf(value: MaybeJson): readonly Json[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : undefined;
}

function objectOf(value: MaybeJson): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isJsonObject(value) ? value : undefined;
}

function listParts(one: readonly Json[], other: readonly Json[], schema: ListSchema): readonly Part[] {
  const [before, after] = [indexed(one, schema), indexed(other, schema)];
  const elements = new Set([...before.keys(), ...after.keys()]);
  return [...elements].map((element) => partOf(element, before.get(element) ?? [], after.get(element) ?? [], schema));
}

/** Items with equal keys (addresses of a node may have them) are one value; a single one after several is new. */
function partOf(element: PathElement, before: readonly Json[], after: readonly Json[], schema: ListSchema): Part {
  if (before.length <= 1 && after.length <= 1) return [element, before[0], after[0], schema.item];
  if (isSameJson(before, after)) return [element, undefined, undefined, schema.item];
  if (after.length === 1) return [element, undefined, after[0], schema.item];
  return [element, before.length === 0 ? undefined : before, after.length === 0 ? undefined : after, ANY_ATOMIC];
}

function indexed(list: readonly Json[], schema: ListSchema): ReadonlyMap<PathElement, readonly Json[]> {
  const items = new Map<PathElement, Json[]>();
  for (const item of list) {
    const element = itemElement(schema, item);
    if (element === undefined) continue;
    const namesakes = items.get(element);
    if (namesakes === undefined) items.set(element, [item]);
    else namesakes.push(item);
  }
  return items;
}
