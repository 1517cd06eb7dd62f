// Strategic merge patch: objects merge, null removes, and lists merge where the kind says by which key. Behaviour of
// k8s.io/apimachinery/pkg/util/strategicpatch. Pure: nothing that is handed in changes. Directives:
// - `$patch: replace | delete`. In a map: the rest of the patch in its place, or nothing. As an element: the other
//   elements in place of the list, or the list without the element of this key.
// - `$deleteFromPrimitiveList/f`: scalars that are removed from the list f.
// - `$setElementOrder/f`: the final order of the list f.
// - `$retainKeys`: the only keys of this map that stay.

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { ANY, itemOf, memberOf, type Schema } from "../../schema/schema.ts";
import { inOrder, itemName } from "./element-order.ts";

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList/";
const SET_ORDER = "$setElementOrder/";

export function applyStrategicMerge(target: Json, patch: Json, schema: Schema): Json {
  if (!isJsonObject(patch)) throw new Fault("malformed", "a strategic merge patch must be a JSON object");
  return mergeObjects(isJsonObject(target) ? target : {}, patch, schema);
}

function mergeObjects(target: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  const directive = patch[PATCH];
  if (directive === "delete") return {};
  if (directive === "replace") return withoutKey(patch, PATCH);
  if (directive !== undefined && directive !== "merge") throw badDirective(directive);
  const merged = new Map<string, Json>(Object.entries(retained(target, patch)));
  const fields = fieldPatches(patch);
  for (const [name, change] of fields) {
    const next = mergeField(merged.get(name), change, fieldSchema(schema, name));
    if (next === undefined) merged.delete(name);
    else merged.set(name, next);
  }
  return Object.fromEntries(merged);
}

/** What a patch says about one field, with its directives. */
interface FieldPatch {
  readonly name: string;
  /** Undefined: the patch has only directives for this field. Null removes it. */
  value?: Json;
  remove?: readonly Json[];
  order?: readonly Json[];
}

function fieldPatches(patch: JsonObject): ReadonlyMap<string, FieldPatch> {
  const fields = new Map<string, FieldPatch>();
  const of = (name: string): FieldPatch => {
    const known = fields.get(name) ?? { name };
    fields.set(name, known);
    return known;
  };
  for (const [key, value] of Object.entries(patch)) {
    if (key === PATCH || key === RETAIN_KEYS) continue;
    if (key.startsWith(DELETE_FROM)) of(key.slice(DELETE_FROM.length)).remove = listOf(value, DELETE_FROM);
    else if (key.startsWith(SET_ORDER)) of(key.slice(SET_ORDER.length)).order = listOf(value, SET_ORDER);
    else of(key).value = value;
  }
  return fields;
}

function listOf(value: Json, directive: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new Fault("malformed", `the value of ${directive.slice(0, -1)} must be a list`);
}

function fieldSchema(schema: Schema, name: string): Schema {
  return memberOf(schema, name) ?? ANY;
}

function mergeField(target: Json | undefined, change: FieldPatch, schema: Schema): Json | undefined {
  const { value, remove = [], order } = change;
  if (value === null) return undefined;
  const list = remove.length === 0 || !Array.isArray(target) ? target : without(target, remove);
  if (order !== undefined) return mergeOrdered(list, { ...change, order }, schema);
  return value === undefined ? list : mergeValue(list, value, schema);
}

function without(list: readonly Json[], removed: readonly Json[]): readonly Json[] {
  const gone = new Set(removed.map((item) => itemName(item, undefined)));
  return list.filter((item) => !gone.has(itemName(item, undefined)));
}

function mergeValue(target: Json | undefined, value: Json, schema: Schema): Json | undefined {
  if (isJsonObject(value)) {
    return isJsonObject(target) ? mergeObjects(target, value, schema) : withoutDirectives(value);
  }
  if (!Array.isArray(value)) return value;
  const merges = schema.kind === "list" ? schema.patchMerge : undefined;
  if (!Array.isArray(target) || merges === undefined) return withoutDirectives(value);
  return mergeLists(target, value, schema);
}

/** The list in its order: what the patch and the directive name, in that order, among what only the server has. */
function mergeOrdered(
  target: Json | undefined,
  change: FieldPatch & { order: readonly Json[] },
  schema: Schema,
): Json | undefined {
  const { value, order } = change;
  const key = keyOf(schema);
  if (value === undefined && !Array.isArray(target)) return target;
  const live = Array.isArray(target) ? target : [];
  if (value !== undefined && Array.isArray(value)) checkOrder(value, order, key);
  const merged = value === undefined ? live : mergeValue(target, value, schema);
  return merged !== undefined && Array.isArray(merged) ? inOrder({ items: merged, wanted: order, live, key }) : merged;
}

function keyOf(schema: Schema): string | undefined {
  return schema.kind === "list" ? schema.patchMerge?.key : undefined;
}

/** Everything in the patch must be named by the order it asks for, in the same sequence. */
function checkOrder(patch: readonly Json[], order: readonly Json[], key: string | undefined): void {
  const brought = patch.filter((item) => !isJsonObject(item) || item[PATCH] === undefined);
  const names = order.map((item) => itemName(item, key));
  let at = 0;
  for (const item of brought) {
    const name = itemName(item, key);
    while (at < order.length && names[at] !== name) at += 1;
    if (at === order.length) {
      throw new Fault("malformed", "the order in the patch list does not match the $setElementOrder list");
    }
  }
}

function mergeLists(target: readonly Json[], patch: readonly Json[], schema: Schema): Json {
  const key = keyOf(schema);
  if (![...target, ...patch].some(isJsonObject)) return mergeScalars(target, patch);
  if (key === undefined) throw new Fault("malformed", "a list of objects has no key to merge by");
  const plain = patch.filter((item) => !isJsonObject(item) || item[PATCH] === undefined);
  if (patch.some((item) => isJsonObject(item) && item[PATCH] === "replace")) return withoutDirectives(plain) ?? [];
  const merged = [...withoutDeleted(target, patch, key)];
  const places = keyedPlaces(merged, key);
  for (const item of plain) {
    if (!isJsonObject(item) || item[key] === undefined) throw noKey(key);
    const name = itemName(item, key);
    const at = places.get(name) ?? merged.length;
    const before = merged[at];
    merged[at] = isJsonObject(before) ? mergeObjects(before, item, itemOf(schema)) : (withoutDirectives(item) ?? {});
    places.set(name, at);
  }
  return inOrder({ items: merged, wanted: plain, live: target, key });
}

/** The place of the first item of each key; items without a key are left out. */
function keyedPlaces(list: readonly Json[], key: string): Map<string, number> {
  const places = new Map<string, number>();
  list.forEach((item, at) => {
    if (!isJsonObject(item) || item[key] === undefined) return;
    const name = itemName(item, key);
    if (!places.has(name)) places.set(name, at);
  });
  return places;
}

function mergeScalars(target: readonly Json[], patch: readonly Json[]): readonly Json[] {
  const merged = [...target];
  const known = new Set(target.map((item) => itemName(item, undefined)));
  for (const item of patch) {
    const name = itemName(item, undefined);
    if (!known.has(name)) merged.push(item);
    known.add(name);
  }
  return inOrder({ items: merged, wanted: patch, live: target, key: undefined });
}

function withoutDeleted(target: readonly Json[], patch: readonly Json[], key: string): readonly Json[] {
  const gone = new Set<string>();
  for (const item of patch) {
    if (!isJsonObject(item) || item[PATCH] === undefined) continue;
    if (item[PATCH] !== "delete") throw badDirective(item[PATCH]);
    if (item[key] === undefined) throw noKey(key);
    gone.add(itemName(item, key));
  }
  if (gone.size === 0) return target;
  return target.filter((one) => !isJsonObject(one) || one[key] === undefined || !gone.has(itemName(one, key)));
}

/** `$retainKeys` must name every key of the patch itself. */
function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return target;
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== "string")) throw badRetainKeys();
  const stays = new Set<Json>(keys);
  const named = Object.keys(patch).filter((key) => !key.startsWith("$"));
  if (named.some((key) => !stays.has(key) && patch[key] !== null)) throw badRetainKeys();
  return Object.fromEntries(Object.entries(target).filter(([key]) => stays.has(key)));
}

/**
 * A new value without merge directives, and without removals of what does not exist. Undefined for a map that only says
 * how to merge into an existing one.
 */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (value[PATCH] !== undefined) return undefined;
  const kept = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    const clean = inner === null || isDirectiveKey(key) ? undefined : withoutDirectives(inner);
    return clean === undefined ? [] : [[key, clean]];
  });
  return Object.fromEntries(kept);
}

function isDirectiveKey(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER);
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function badDirective(directive: Json | undefined): Fault {
  const shown = JSON.stringify(directive ?? null).slice(0, 64);
  return new Fault("malformed", `unknown patch type ${shown} in a strategic merge patch`);
}

function badRetainKeys(): Fault {
  return new Fault("malformed", "invalid patch format of retainKeys");
}

function noKey(key: string): Fault {
  return new Fault("malformed", `an element of a merged list lacks its key ${key}`);
}
