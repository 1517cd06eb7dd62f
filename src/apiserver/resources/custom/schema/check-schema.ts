// What may stand in the schema of a definition: the subset of OpenAPI v3 that Kubernetes takes, the rules of its
// extensions, and defaults that fit their own schema. …/apis/apiextensions/validation:
// ValidateCustomResourceDefinitionOpenAPISchema.

import { isJsonObject, isSameJson, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { type FieldError, forbiddenField, invalid, notSupported, required } from "../../field-error.ts";
import { listTypeErrors } from "./check-list-type.ts";
import { pruneValue } from "./prune.ts";
import { listOf, objectOf, parseSchema, textOf } from "./schema.ts";
import { validateValue } from "./validate.ts";

const TYPES: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];
const UNSUPPORTED: readonly string[] = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
];

interface Inside {
  /** Why there may be no default here; empty where defaults are allowed. */
  readonly noDefaults: string;
  readonly isRoot: boolean;
}

export function schemaErrors(schema: JsonObject, field: string): readonly FieldError[] {
  return nodeErrors(schema, field, { noDefaults: "", isRoot: true });
}

function nodeErrors(schema: JsonObject, field: string, inside: Inside): readonly FieldError[] {
  return [
    ...ownErrors(schema, field, inside),
    ...mapTypeErrors(schema, field),
    ...listTypeErrors(schema, field),
    ...innerErrors(schema, field, inside),
  ];
}

function ownErrors(schema: JsonObject, field: string, { noDefaults }: Inside): readonly FieldError[] {
  const type = textOf(schema["type"]);
  const hasDefault = schema["default"] !== undefined && noDefaults !== "";
  const isOpenToNone = schema["x-kubernetes-preserve-unknown-fields"] === false;
  const openField = `${field}.x-kubernetes-preserve-unknown-fields`;
  return [
    ...(type !== "" && !TYPES.includes(type) ? [notSupported(`${field}.type`, type, TYPES)] : []),
    ...(hasDefault ? [forbiddenField(`${field}.default`, `must not be set ${noDefaults}`)] : []),
    ...UNSUPPORTED.filter((name) => schema[name] !== undefined).map((name) =>
      forbiddenField(`${field}.${name}`, `${name} is not supported`),
    ),
    ...Object.entries(NOT_TAKEN)
      .filter(([, rule]) => rule.isBroken(schema))
      .map(([name, rule]) => forbiddenField(`${field}.${name}`, rule.detail)),
    ...(isOpenToNone ? [invalid(openField, false, "must be true or undefined")] : []),
  ];
}

interface NotTaken {
  isBroken(schema: JsonObject): boolean;
  readonly detail: string;
}

const NOT_TAKEN: Readonly<Record<string, NotTaken>> = {
  type: {
    isBroken: (schema) => schema["type"] === "null",
    detail: "type cannot be set to null, use nullable as an alternative",
  },
  items: {
    isBroken: (schema) => Array.isArray(schema["items"]),
    detail: "items must be a schema object and not an array",
  },
  uniqueItems: {
    isBroken: (schema) => schema["uniqueItems"] === true,
    detail: "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
  },
  additionalProperties: {
    isBroken: ({ additionalProperties, properties }) =>
      additionalProperties !== undefined &&
      additionalProperties !== true &&
      Object.keys(objectOf(properties) ?? {}).length > 0,
    detail: "additionalProperties and properties are mutual exclusive",
  },
};

function mapTypeErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const type = textOf(schema["type"]);
  const detail = "must be object if x-kubernetes-map-type is specified";
  return [
    ...(type === "" ? [required(`${field}.type`, detail)] : []),
    ...(type !== "" && type !== "object" ? [invalid(`${field}.type`, type, detail)] : []),
    ...(mapType === "atomic" || mapType === "granular"
      ? []
      : [notSupported(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"])]),
  ];
}

const META_FIELDS: readonly string[] = ["metadata", "apiVersion", "kind"];

function innerErrors(schema: JsonObject, field: string, inside: Inside): readonly FieldError[] {
  const { noDefaults, isRoot } = inside;
  const look = (inner: Json | undefined, path: string, reason = noDefaults) =>
    isJsonObject(inner) ? nodeErrors(inner, `${field}.${path}`, { noDefaults: reason, isRoot: false }) : [];
  const properties = Object.entries(objectOf(schema["properties"]) ?? {});
  return [
    ...look(schema["additionalProperties"], "additionalProperties"),
    ...properties.flatMap(([name, inner]) => {
      const isMeta = isRoot && META_FIELDS.includes(name);
      return look(inner, `properties[${name}]`, isMeta ? `in top-level ${name}` : noDefaults);
    }),
    ...look(schema["not"], "not"),
    ...["allOf", "oneOf", "anyOf"].flatMap((junctor) =>
      listOf(schema[junctor]).flatMap((inner, at) => look(inner, `${junctor}[${at}]`)),
    ),
    ...look(schema["items"], "items"),
  ];
}

/** Defaults are validated like values. Only for structural schemas. */
export function defaultErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const inner: (readonly [Json | undefined, string])[] = [
    [schema["items"], "items"],
    [schema["additionalProperties"], "additionalProperties"],
    ...Object.entries(objectOf(schema["properties"]) ?? {}).map(([name, one]) => [one, `properties[${name}]`] as const),
  ];
  return [
    ...ownDefaultErrors(schema, `${field}.default`),
    ...inner.flatMap(([one, path]) => (isJsonObject(one) ? defaultErrors(one, `${field}.${path}`) : [])),
  ];
}

function ownDefaultErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const value = schema["default"];
  if (value === undefined) return [];
  const parsed = parseSchema(schema);
  const errors = validateValue(value, parsed, { field });
  const isPruned = isSameJson(pruneValue(value, parsed).value, value);
  return isPruned ? errors : [invalid(field, value, "must not have unknown fields"), ...errors];
}
