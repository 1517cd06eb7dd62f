// Defaults are applied to what clients send and to what is read from storage, so that old objects show defaults that
// their definition gained later. Behaviour of …/apiserver/schema/defaulting.

import { isJsonObject, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { Fault } from "../../../../kernel/outcome/index.ts";
import type { CustomSchema } from "./schema.ts";

/**
 * Fields that defaults may add to one object. A list with a hundred thousand items of a kind with a hundred defaults
 * would otherwise grow from a small request into gigabytes.
 */
const MAX_ADDED_FIELDS = 100_000;

interface Filling {
  added: number;
}

/** Also removes null where the schema does not allow it: it means "not set". Fault `limit-exceeded`. */
export function withDefaults<T extends object>(object: T, schema: CustomSchema): T {
  const filling = { added: 0 };
  const filled = fill(object as unknown as Json, schema, filling) as unknown as T;
  if (filling.added > MAX_ADDED_FIELDS) {
    throw new Fault("limit-exceeded", `defaults may add at most ${MAX_ADDED_FIELDS} fields to an object`);
  }
  return filled;
}

/** For stored objects, which a former definition may have admitted: beyond the limit no further defaults are added. */
export function withDefaultsAsFarAsPossible<T extends object>(object: T, schema: CustomSchema): T {
  return fill(object as unknown as Json, schema, { added: 0 }) as unknown as T;
}

function fill(value: Json, schema: CustomSchema | undefined, filling: Filling): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return fillItems(value, schema, filling);
  return isJsonObject(value) ? fillFields(value, schema, filling) : value;
}

function fillItems(items: readonly Json[], { items: schema }: CustomSchema, filling: Filling): Json {
  if (schema === undefined) return items;
  return items.map((item) => fill(isUnset(item, schema) ? (schema.default ?? null) : item, schema, filling));
}

function fillFields(object: JsonObject, schema: CustomSchema, filling: Filling): Json {
  const filled: [string, Json][] = [];
  for (const [name, value] of Object.entries(object)) {
    const inner = schemaOf(name, schema);
    if (inner === undefined || !isUnset(value, inner)) filled.push([name, fill(value, inner, filling)]);
  }
  const present = new Set(filled.map(([name]) => name));
  for (const [name, inner] of schema.properties) {
    if (inner.default === undefined || present.has(name)) continue;
    filling.added += 1;
    if (filling.added <= MAX_ADDED_FIELDS) filled.push([name, fill(inner.default, inner, filling)]);
  }
  return Object.fromEntries(filled);
}

function schemaOf(name: string, { properties, additional }: CustomSchema): CustomSchema | undefined {
  return properties.get(name) ?? (typeof additional === "object" ? additional : undefined);
}

function isUnset(value: Json | undefined, schema: CustomSchema): boolean {
  return value === null && !schema.isNullable;
}
