// Merges an applied configuration into the live object, and removes fields from an object. Behaviour of
// structured-merge-diff's Merge and RemoveItems.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { type ListSchema, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, NO_FIELDS } from "./field-set.ts";
import { isAtomic } from "./fields-of.ts";
import { fieldElement, itemElement, type PathElement } from "./path-element.ts";

/** Values of the configuration win; what it does not mention stays. */
export function merge(live: Json | undefined, applied: Json | undefined, schema: Schema): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined || live === null || isAtomic(schema)) return applied;
  if (schema.kind === "list") {
    return Array.isArray(live) && Array.isArray(applied) ? mergeLists(live, applied, schema) : applied;
  }
  return isJsonObject(live) && isJsonObject(applied) ? mergeObjects(live, applied, schema) : applied;
}

function mergeObjects(live: JsonObject, applied: JsonObject, schema: Schema): JsonObject {
  if (schema.kind === "map" && schema.value.kind === "scalar") return mergePlain(live, applied);
  const merged = new Map<string, Json>(Object.entries(live));
  for (const [name, value] of Object.entries(applied)) {
    const inner = memberOf(schema, name);
    const next = inner === undefined ? value : merge(merged.get(name), value, inner);
    if (next !== undefined) merged.set(name, next);
  }
  return Object.fromEntries(merged);
}

/** A large map that is applied again is nearly unchanged, and copying equal entries would cost as much as changes. */
function mergePlain(live: JsonObject, applied: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...live };
  for (const [name, value] of Object.entries(applied)) if (merged[name] !== value) merged[name] = value;
  return merged;
}

interface Item {
  readonly element: PathElement;
  readonly value: Json;
}

function itemsOf(list: readonly Json[], schema: ListSchema): readonly Item[] {
  return list.map((value, at) => ({ element: itemElement(schema, value) ?? `i:${at}`, value }));
}

/**
 * Applied items have the applied order; live items that are not applied keep their place between those that both sides
 * have.
 */
function mergeLists(live: readonly Json[], applied: readonly Json[], schema: ListSchema): readonly Json[] {
  const [left, right] = [itemsOf(live, schema), itemsOf(applied, schema)];
  const inLive = new Map(left.map(({ element, value }) => [element, value]));
  const inApplied = new Set(right.map(({ element }) => element));
  const shared = right.filter(({ element }) => inLive.has(element)).map(({ element }) => element);
  const merged: Json[] = [];
  let at = 0;
  let met = 0;
  for (const { element, value } of right) {
    at = passLiveOnly({ left, at, inApplied, next: shared[met], until: element }, merged);
    if (left[at]?.element === element) at += 1;
    if (shared[met] === element) met += 1;
    merged.push(merge(inLive.get(element), value, schema.item) ?? value);
  }
  passLiveOnly({ left, at, inApplied, next: undefined, until: undefined }, merged);
  return merged;
}

interface Passage {
  readonly left: readonly Item[];
  readonly at: number;
  readonly inApplied: ReadonlySet<PathElement>;
  /** The next item that both sides have: live items after it are not taken before it. */
  readonly next: PathElement | undefined;
  readonly until: PathElement | undefined;
}

/** Takes over live items that are not applied, up to the next item that both sides have; returns where it stopped. */
function passLiveOnly({ left, at, inApplied, next, until }: Passage, merged: Json[]): number {
  for (let here = at; ; here += 1) {
    const item = left[here];
    if (item === undefined || item.element === until || item.element === next) return here;
    if (!inApplied.has(item.element)) merged.push(item.value);
  }
}

/** Without the fields that are members of the set. Containers that become empty are null: present without content. */
export function removeFields(value: Json, set: FieldSet, schema: Schema): Json {
  if (set.children.size === 0) return value;
  if (isAtomic(schema)) return null;
  if (Array.isArray(value)) {
    const kept = schema.kind === "list" ? keptItems(value, set, schema) : value;
    return kept.length === 0 ? null : kept;
  }
  if (!isJsonObject(value)) return value;
  const kept = keptFields(value, set, schema);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function keptItems(list: readonly Json[], set: FieldSet, schema: ListSchema): readonly Json[] {
  return list.flatMap((item) => {
    const below = set.children.get(itemElement(schema, item) ?? "") ?? NO_FIELDS;
    return below.isMember ? [] : [removeFields(item, below, schema.item)];
  });
}

function keptFields(object: JsonObject, set: FieldSet, schema: Schema): readonly (readonly [string, Json])[] {
  return Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    const below = set.children.get(fieldElement(name)) ?? NO_FIELDS;
    const inner = memberOf(schema, name) ?? schema;
    return below.isMember ? [] : [[name, removeFields(value, below, inner)]];
  });
}

/** Null marks what has become empty; a stored object leaves it out. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item: Json) => item !== null).map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(value)) if (inner !== null) kept[name] = withoutNulls(inner);
  return kept;
}
