// The schema of any kind: of a built-in one from the tables, of a custom one from its definition.

import type { Json } from "../../kernel/json/index.ts";
import type { CustomSchema } from "../resources/custom/schema/index.ts";
import type { Strategy } from "../resources/strategy.ts";
import { builtInSchema } from "./built-in.ts";
import { ANY, type Field, type ListSchema, type ScalarType, type Schema, type StructSchema } from "./schema.ts";

/** Undefined for a resource that is neither built in nor custom. */
export function schemaOfKind({ custom, resource }: Pick<Strategy, "custom" | "resource">): StructSchema | undefined {
  return custom === undefined ? builtInSchema(resource) : customSchema(custom.schema);
}

const SCALARS: Readonly<Record<string, ScalarType>> = {
  string: "string",
  boolean: "boolean",
  integer: "long",
  number: "number",
};

const known = new WeakMap<CustomSchema, StructSchema>();

/** The object itself: what its definition says, with the metadata that every object has. */
function customSchema(schema: CustomSchema): StructSchema {
  const made = known.get(schema) ?? makeRoot(schema);
  known.set(schema, made);
  return made;
}

function makeRoot(schema: CustomSchema): StructSchema {
  const root = structOf(schema);
  const metadata = builtInSchema({ group: "", version: "v1", plural: "", kind: "ConfigMap", namespaced: true })
    ?.fields()
    .get("metadata");
  const text = fieldOf({ kind: "scalar", type: "string" });
  const own: readonly (readonly [string, Field])[] = [
    ["apiVersion", text],
    ["kind", text],
    ...(metadata === undefined ? [] : [["metadata", metadata] as const]),
  ];
  return { ...root, isAtomic: false, fields: () => new Map([...root.fields(), ...own]) };
}

function structOf(schema: CustomSchema): StructSchema {
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    kind: "struct",
    name: "",
    isAtomic: schema.mapType === "atomic",
    isOpen: schema.preservesUnknownFields,
    fields: () => {
      fields ??= new Map([...schema.properties].map(([name, inner]) => [name, fieldOf(schemaOf(inner))]));
      return fields;
    },
  };
}

function fieldOf(schema: Schema): Field {
  return { schema, isPointer: true, omitsEmpty: true, isRequired: false, retainsKeys: false };
}

function schemaOf(schema: CustomSchema): Schema {
  const [type, second] = schema.types;
  if (second !== undefined) return { kind: "scalar", type: "int-or-string" };
  if (type === "array") return listOf(schema);
  if (type === "object" && schema.properties.size === 0 && schema.additional !== undefined) return mapOf(schema);
  if (type === "object" && (schema.properties.size > 0 || !schema.preservesUnknownFields)) return structOf(schema);
  const scalar = SCALARS[type ?? ""];
  return scalar === undefined ? ANY : { kind: "scalar", type: scalar };
}

function mapOf({ additional, mapType }: CustomSchema): Schema {
  const value = typeof additional === "object" ? schemaOf(additional) : ANY;
  return { kind: "map", value, isAtomic: mapType === "atomic" };
}

function listOf({ items, listType, listMapKeys }: CustomSchema): ListSchema {
  return {
    kind: "list",
    item: items === undefined ? ANY : schemaOf(items),
    listType,
    keys: listMapKeys,
    keyDefaults: Object.fromEntries(listMapKeys.flatMap((key) => keyDefault(key, items?.properties.get(key)?.default))),
    patchMerge: undefined,
  };
}

function keyDefault(key: string, value: Json | undefined): readonly (readonly [string, string])[] {
  return typeof value === "string" ? [[key, value]] : [];
}
