// Is a schema structural? Every field has a type outside of allOf, anyOf, oneOf and not, and those only restrict
// values. k8s.io/apiextensions-apiserver/pkg/apiserver/schema: ValidateStructural. Works on the JSON of the schema, not
// on the parsed one.

import { isJsonObject, isSameJson, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { isFault } from "../../../../kernel/outcome/index.ts";
import { compileRegexp } from "../../../../kernel/regexp/index.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../field-error.ts";
import { listOf, objectOf, textOf } from "./schema.ts";

export function structuralErrors(schema: JsonObject, field: string): readonly FieldError[] {
  return [...invariantErrors(schema, "root", field), ...completenessErrors(schema, field)];
}

type Level = "root" | "item" | "field";

const NO_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function invariantErrors(schema: JsonObject, level: Level, field: string): readonly FieldError[] {
  const items = objectOf(schema["items"]);
  const additional = schema["additionalProperties"];
  const errors: FieldError[] = [];
  if (schema["type"] === "array" && items === undefined) errors.push(required(`${field}.items`, "must be specified"));
  if (items !== undefined) errors.push(...invariantErrors(items, "item", `${field}.items`));
  for (const [name, inner] of Object.entries(objectOf(schema["properties"]) ?? {})) {
    errors.push(...invariantErrors(objectOf(inner) ?? {}, "field", `${field}.properties[${name}]`));
  }
  if (additional !== undefined && level === "root") {
    errors.push(forbiddenField(`${field}.additionalProperties`, "must not be used at the root"));
  }
  if (isJsonObject(additional)) errors.push(...invariantErrors(additional, "field", `${field}.additionalProperties`));
  return [
    ...errors,
    ...extensionErrors(schema, field),
    ...valueErrors(schema, field),
    ...typeErrors(schema, level, field),
  ];
}

function extensionErrors(schema: JsonObject, field: string): readonly FieldError[] {
  if (schema["x-kubernetes-int-or-string"] !== true) return [];
  return ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"]
    .filter((name) => schema[name] === true)
    .map((name) => invalid(`${field}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

function typeErrors(schema: JsonObject, level: Level, field: string): readonly FieldError[] {
  const type = textOf(schema["type"]);
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const errors: FieldError[] = [];
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail));
  } else if (type === "" && !isOpen && schema["x-kubernetes-int-or-string"] !== true) {
    errors.push(required(`${field}.type`, NO_TYPE[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(`${field}.type`, type, "must be object at the root"));
  }
  return [
    ...errors,
    ...metaErrors(schema, level, field),
    ...(isEmbedded ? embeddingErrors(schema, isOpen, field) : []),
  ];
}

function embeddingErrors(schema: JsonObject, isOpen: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (schema["additionalProperties"] !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbiddenField(`${field}.additionalProperties`, detail));
  }
  if (!isOpen && Object.keys(objectOf(schema["properties"]) ?? {}).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${field}.properties`, detail));
  }
  return errors;
}

/** apiVersion, kind and metadata have fixed types; of metadata only name and generateName may be restricted. */
function metaErrors(schema: JsonObject, level: Level, field: string): readonly FieldError[] {
  const properties = objectOf(schema["properties"]) ?? {};
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  for (const [name, wanted] of Object.entries({ kind: "string", apiVersion: "string", metadata: "object" })) {
    const type = textOf(objectOf(properties[name])?.["type"]);
    if (isResource && properties[name] !== undefined && type !== wanted) {
      errors.push(invalid(`${field}.properties[${name}].type`, type, `must be ${wanted}`));
    }
  }
  if (level === "root" && restrictsMetadata(objectOf(properties["metadata"]) ?? {})) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbiddenField(`${field}.properties[metadata]`, detail));
  }
  return errors;
}

function restrictsMetadata(metadata: JsonObject): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(objectOf(properties) ?? {});
  return Object.keys(rest).length > 0 || names.some((name) => name !== "name" && name !== "generateName");
}

const INT_OR_STRING: Json = [{ type: "integer" }, { type: "string" }];

/** The two ways to write "integer or string" may name types. */
function valueErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const [firstOfAll] = listOf(schema["allOf"]);
  const isPlain = isSameJson(schema["anyOf"], INT_OR_STRING);
  const isFirst = isSameJson(objectOf(firstOfAll)?.["anyOf"], INT_OR_STRING);
  return [
    ...(isPlain ? [] : eachOf(schema, "anyOf", field)),
    ...listOf(schema["allOf"]).flatMap((one, at) =>
      nestedErrors(withoutAnyOf(objectOf(one) ?? {}, isFirst && at === 0), `${field}.allOf[${at}]`),
    ),
    ...eachOf(schema, "oneOf", field),
    ...(schema["not"] === undefined ? [] : nestedErrors(objectOf(schema["not"]) ?? {}, `${field}.not`)),
    ...patternErrors(schema, field),
  ];
}

function withoutAnyOf(schema: JsonObject, skips: boolean): JsonObject {
  const { anyOf: _skipped, ...rest } = schema;
  return skips ? rest : schema;
}

function eachOf(schema: JsonObject, junctor: string, field: string): readonly FieldError[] {
  return listOf(schema[junctor]).flatMap((one, at) => nestedErrors(objectOf(one) ?? {}, `${field}.${junctor}[${at}]`));
}

const FORBIDDEN: Readonly<Record<string, string>> = {
  type: "must be empty to be structural",
  additionalProperties: "must be undefined to be structural",
  default: "must be undefined to be structural",
  title: "must be empty to be structural",
  description: "must be empty to be structural",
  nullable: "must be false to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
};

function nestedErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const properties = objectOf(schema["properties"]) ?? {};
  const items = objectOf(schema["items"]);
  const said = Object.entries(FORBIDDEN).filter(([name]) => isSaid(schema[name]));
  return [
    ...valueErrors(schema, field),
    ...(items === undefined ? [] : nestedErrors(items, `${field}.items`)),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      nestedErrors(objectOf(inner) ?? {}, `${field}.properties[${name}]`),
    ),
    ...said.map(([name, detail]) => forbiddenField(`${field}.${name}`, detail)),
    ...(properties["metadata"] === undefined
      ? []
      : [forbiddenField(`${field}.properties[metadata]`, "must not be specified in a nested context")]),
  ];
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
}

function patternErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const pattern = textOf(schema["pattern"]);
  try {
    if (pattern !== "") compileRegexp(pattern);
    return [];
  } catch (error) {
    if (!isFault(error, "malformed")) throw error;
    const detail = `must be a valid regular expression, but isn't: ${error.message}`;
    return [invalid(`${field}.pattern`, pattern, detail)];
  }
}

interface Where {
  /** Where the field should be known. */
  readonly known: string;
  /** Where it is restricted. */
  readonly nested: string;
}

/**
 * Whatever allOf, anyOf, oneOf and not restrict must be known outside of them: otherwise pruning would remove it before
 * anything could be restricted.
 */
function completenessErrors(schema: JsonObject, field: string): readonly FieldError[] {
  return junctorErrors(schema, schema, { known: field, nested: field });
}

function junctorErrors(restricting: JsonObject, schema: JsonObject, { known, nested }: Where): readonly FieldError[] {
  const parts = (["allOf", "anyOf", "oneOf"] as const).flatMap((junctor) =>
    listOf(restricting[junctor]).map((one, at) => ({ one: objectOf(one) ?? {}, path: `${nested}.${junctor}[${at}]` })),
  );
  const not = objectOf(restricting["not"]);
  const all = not === undefined ? parts : [{ one: not, path: `${nested}.not` }, ...parts];
  return all.flatMap(({ one, path }) => unknownErrors(one, schema, { known, nested: path }));
}

function unknownErrors(restricting: JsonObject, schema: JsonObject, where: Where): readonly FieldError[] {
  const errors = [...junctorErrors(restricting, schema, where)];
  const look = (inner: JsonObject, known: JsonObject | undefined, step: string) => {
    const deeper = { known: where.known + step, nested: where.nested + step };
    if (known === undefined) errors.push(required(deeper.known, `because it is defined in ${deeper.nested}`));
    else errors.push(...unknownErrors(inner, known, deeper));
  };
  const items = objectOf(restricting["items"]);
  if (items !== undefined) look(items, objectOf(schema["items"]), ".items");
  const properties = objectOf(schema["properties"]) ?? {};
  for (const [name, inner] of Object.entries(objectOf(restricting["properties"]) ?? {})) {
    look(objectOf(inner) ?? {}, objectOf(properties[name]), `.properties[${name}]`);
  }
  return errors;
}
