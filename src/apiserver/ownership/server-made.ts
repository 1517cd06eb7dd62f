// What an endpoint does not take from a client, and what the server adds by itself: a writer owns neither.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import type { Strategy, Subresource } from "../resources/strategy.ts";
import { type ListSchema, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, fieldSet, isEmpty, MEMBER, NO_FIELDS, setOf, unionOf } from "./field-set.ts";
import { isAtomic } from "./fields-of.ts";
import { fieldElement, itemElement, type PathElement } from "./path-element.ts";

const parsed = new WeakMap<readonly string[], FieldSet>();
const SPEC = fields(["spec"]);
const STATUS = fields(["status"]);

/** The fields that keep their stored value whatever is sent to an endpoint. */
export function resetFields(strategy: Strategy, subresource: Subresource | undefined): FieldSet {
  const { resets } = subresource ?? strategy;
  if (resets !== undefined) return fields(resets);
  if (subresource !== undefined) return subresource.name === "status" ? SPEC : NO_FIELDS;
  return strategy.subresources.some(({ name }) => name === "status") ? STATUS : NO_FIELDS;
}

function fields(paths: readonly string[]): FieldSet {
  const set = parsed.get(paths) ?? unionOf(paths.map(parsePath));
  parsed.set(paths, set);
  return set;
}

function parsePath(path: string): FieldSet {
  return setOf(path.split(".").map(fieldElement));
}

interface OfKind {
  /** See Strategy. */
  readonly filledIn: readonly string[] | undefined;
  readonly schema: Schema;
}

/** Of a new object: what is in it although the client did not send it. */
export function filledFields(next: JsonObject, sent: JsonObject, { filledIn = [], schema }: OfKind): FieldSet {
  const added = filledIn.filter((path) => !hasPath(sent, path.split(".")));
  return unionOf([...added.map(parsePath), addedItems(next, sent, schema)]);
}

function hasPath(value: Json | undefined, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return value !== undefined;
  return isJsonObject(value) && hasPath(value[first], rest);
}

/** Items of keyed lists that only the server added: the token volume of a pod. */
function addedItems(next: Json | undefined, sent: Json | undefined, schema: Schema): FieldSet {
  if (isAtomic(schema) || (schema.kind === "map" && isAtomic(schema.value))) return NO_FIELDS;
  if (schema.kind === "list") return addedToList(itemsOf(next), itemsOf(sent), schema);
  return isJsonObject(next) ? addedBelow(next, isJsonObject(sent) ? sent : {}, schema) : NO_FIELDS;
}

function addedToList(after: readonly Json[], before: readonly Json[], schema: ListSchema): FieldSet {
  if (before.length === 0) return after.length === 0 ? NO_FIELDS : MEMBER;
  const known = new Map(before.map((item) => [itemElement(schema, item), item]));
  const children = after.flatMap((item): [PathElement, FieldSet][] => {
    const element = itemElement(schema, item);
    if (element === undefined) return [];
    const twin = known.get(element);
    return [[element, twin === undefined ? MEMBER : addedItems(item, twin, schema.item)]];
  });
  return fieldSet(false, children);
}

/** Most objects have no such list, so nothing is allocated for their fields. */
function addedBelow(next: JsonObject, sent: JsonObject, schema: Schema): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [name, value] of Object.entries(next)) {
    const inner = typeof value === "object" ? memberOf(schema, name) : undefined;
    const below = inner === undefined ? NO_FIELDS : addedItems(value, sent[name], inner);
    if (!isEmpty(below)) children.set(fieldElement(name), below);
  }
  return children.size === 0 ? NO_FIELDS : { isMember: false, children };
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
