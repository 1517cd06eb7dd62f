// Pruning: fields that the schema does not know are removed, and their paths are reported. Behaviour of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning.

import { isJsonObject, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { META_SHAPE } from "../../shape.ts";
import type { CustomSchema } from "./schema.ts";

interface Pruned<T> {
  readonly value: T;
  /** `spec.color`, `spec.list[0].x`; sorted. */
  readonly unknown: readonly string[];
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

const OBJECT_META: ReadonlySet<string> = new Set(Object.keys(META_SHAPE));

/** apiVersion, kind and metadata of the object are always kept. */
export function pruneObject<T extends object>(object: T, schema: CustomSchema): Pruned<T> {
  const unknown: string[] = [];
  const value = prune(object as unknown as Json, { ...schema, isEmbeddedResource: true }, { path: "", unknown });
  return { value: value as unknown as T, unknown: unknown.sort() };
}

/** A value inside an object, such as a default. */
export function pruneValue(value: Json, schema: CustomSchema): Pruned<Json> {
  const unknown: string[] = [];
  return { value: prune(value, schema, { path: "", unknown }), unknown: unknown.sort() };
}

interface Place {
  readonly path: string;
  readonly unknown: string[];
}

function prune(value: Json, schema: CustomSchema | undefined, place: Place): Json {
  if (Array.isArray(value)) return pruneItems(value, schema, place);
  return isJsonObject(value) ? pruneFields(value, schema, place) : value;
}

function pruneItems(items: readonly Json[], schema: CustomSchema | undefined, { path, unknown }: Place): Json {
  // Without a schema for its items a list that may hold anything keeps them; any other list empties its objects.
  if (schema?.preservesUnknownFields === true && schema.items === undefined) return items;
  return items.map((item, index) => prune(item, schema?.items, { path: `${path}[${index}]`, unknown }));
}

function pruneFields(object: JsonObject, schema: CustomSchema | undefined, { path, unknown }: Place): Json {
  const kept: [string, Json][] = [];
  for (const [name, value] of Object.entries(object)) {
    const at = path === "" ? name : `${path}.${name}`;
    const known = knownAs(name, schema);
    if (known === "keep") kept.push([name, isMetadata(name, schema, path) ? metadataOf(value, at, unknown) : value]);
    else if (known !== undefined) kept.push([name, prune(value, known, { path: at, unknown })]);
    else unknown.push(at);
  }
  return Object.fromEntries(kept);
}

/** Of an embedded object; the caller handles the metadata of the object itself. */
function isMetadata(name: string, schema: CustomSchema | undefined, path: string): boolean {
  return name === "metadata" && schema?.isEmbeddedResource === true && path !== "";
}

function metadataOf(value: Json, path: string, unknown: string[]): Json {
  if (!isJsonObject(value)) return value;
  const isKnown = ([name]: readonly [string, Json]) => OBJECT_META.has(name);
  const all = Object.entries(value);
  unknown.push(...all.filter((entry) => !isKnown(entry)).map(([name]) => `${path}.${name}`));
  return Object.fromEntries(all.filter(isKnown));
}

/** The schema of a field, or that it is kept as it is, or nothing: it is unknown. */
function knownAs(name: string, schema: CustomSchema | undefined): CustomSchema | "keep" | undefined {
  if (schema === undefined) return undefined;
  if (schema.isEmbeddedResource && META_FIELDS.has(name)) return "keep";
  const property = schema.properties.get(name);
  if (property !== undefined) return property;
  if (typeof schema.additional === "object") return schema.additional;
  return schema.additional === true || schema.preservesUnknownFields ? "keep" : undefined;
}
