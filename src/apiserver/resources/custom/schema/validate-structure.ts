// What a schema demands beside the shape of its values: items of sets and maps appear once, and an embedded resource
// says what it is. Behaviour of …/apiserver/schema/listtype and …/schema/objectmeta.

import { isJsonObject, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { duplicate, type FieldError, invalid, required } from "../../field-error.ts";
import type { CustomSchema } from "./schema.ts";
import { itemKey } from "./validate.ts";

export function listErrors(value: Json | undefined, schema: CustomSchema, field = ""): readonly FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const inner = items === undefined ? [] : value.flatMap((one, at) => listErrors(one, items, `${field}[${at}]`));
    return [...repeated(value, schema, field), ...inner];
  }
  if (!isJsonObject(value)) return [];
  return fieldsOf(value, schema, field).flatMap((one) => listErrors(one.value, one.schema, one.field));
}

function repeated(items: readonly Json[], schema: CustomSchema, field: string): readonly FieldError[] {
  if (schema.listType === "atomic") return [];
  const isMap = schema.listType === "map";
  const stranger = isMap ? items.findIndex((item) => item !== null && !isJsonObject(item)) : -1;
  if (stranger >= 0) {
    return [invalid(`${field}[${stranger}]`, items[stranger], "must be an object for an array of list-type map")];
  }
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [at, item] of items.entries()) {
    const key = isMap ? itemKey(item, schema.listMapKeys) : JSON.stringify(sorted(item));
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    // A third occurrence is not reported again.
    if (times === 2) errors.push(duplicate(`${field}[${at}]`, isMap ? keysOf(item, schema.listMapKeys) : item));
  }
  return errors;
}

function keysOf(item: Json, keys: readonly string[]): JsonObject {
  const given = isJsonObject(item) ? item : {};
  return Object.fromEntries(keys.filter((key) => given[key] !== undefined).map((key) => [key, given[key] ?? null]));
}

/** Equal values give equal texts, independent of the order of their keys. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

export function embeddedErrors(value: Json | undefined, schema: CustomSchema, field = ""): readonly FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((one, at) => embeddedErrors(one, items, `${field}[${at}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = schema.isEmbeddedResource ? ["apiVersion", "kind"].flatMap((name) => nameErrors(value, name, field)) : [];
  const inner = fieldsOf(value, schema, field).flatMap((one) => embeddedErrors(one.value, one.schema, one.field));
  return [...own, ...inner];
}

function nameErrors(value: JsonObject, name: string, field: string): readonly FieldError[] {
  const said = value[name];
  const at = `${field}.${name}`;
  if (said === undefined) return [required(at)];
  if (typeof said !== "string") return [invalid(at, said, "must be a string")];
  return said === "" ? [invalid(at, said, "must not be empty")] : [];
}

interface Inner {
  readonly value: Json;
  readonly schema: CustomSchema;
  readonly field: string;
}

function fieldsOf(object: JsonObject, { properties, additional }: CustomSchema, field: string): readonly Inner[] {
  return Object.entries(object).flatMap(([name, value]): Inner[] => {
    const property = properties.get(name);
    if (property !== undefined) return [{ value, schema: property, field: field === "" ? name : `${field}.${name}` }];
    return typeof additional === "object" ? [{ value, schema: additional, field: `${field}[${name}]` }] : [];
  });
}
