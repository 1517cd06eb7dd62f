// The fields that a value sets: what a manager owns after applying it. Behaviour of structured-merge-diff's
// ToFieldSet: scalars and atomic values are members, so are list items and map entries, plain structs are not.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, fieldSet, MEMBER, NO_FIELDS } from "./field-set.ts";
import { fieldElement, itemElement, type PathElement } from "./path-element.ts";

export function fieldsOf(value: Json, schema: Schema): FieldSet {
  if (Array.isArray(value)) return fieldsOfList(value, schema);
  if (!isJsonObject(value)) return value === null && schema.kind !== "scalar" ? NO_FIELDS : MEMBER;
  return isAtomic(schema) ? MEMBER : fieldsOfObject(value, schema);
}

/** A value with one owner as a whole, such as a list without a schema. */
export function isAtomic(schema: Schema): boolean {
  switch (schema.kind) {
    case "scalar":
      return true;
    case "list":
      return schema.listType === "atomic";
    default:
      return schema.isAtomic;
  }
}

function fieldsOfList(list: readonly Json[], schema: Schema): FieldSet {
  if (schema.kind !== "list" || isAtomic(schema)) return MEMBER;
  const children = new Map<PathElement, FieldSet>();
  for (const item of list) {
    const element = itemElement(schema, item);
    if (element !== undefined) children.set(element, { ...fieldsOf(item, schema.item), isMember: true });
  }
  return { isMember: false, children };
}

function fieldsOfObject(object: JsonObject, schema: Schema): FieldSet {
  if (schema.kind === "map" && schema.value.kind === "scalar") return fieldsOfPlainMap(object);
  const children = Object.entries(object).map(([name, value]): [PathElement, FieldSet] => {
    const inner = memberOf(schema, name);
    if (inner === undefined) return [fieldElement(name), MEMBER];
    const isDeclared = schema.kind === "struct" && schema.fields().has(name);
    const below = fieldsOf(value, inner);
    const isMember = below.isMember || !isDeclared || value === null || isEmptyObject(value);
    return [fieldElement(name), { ...below, isMember }];
  });
  return fieldSet(false, children);
}

function isEmptyObject(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Labels, annotations, data: the largest maps there are, and each entry is a member. */
function fieldsOfPlainMap(map: JsonObject): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const name of Object.keys(map)) children.set(fieldElement(name), MEMBER);
  return { isMember: false, children };
}
