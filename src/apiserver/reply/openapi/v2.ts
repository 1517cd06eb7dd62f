// The documents of version 3, all together, in the older version 2: kubectl reads it before it reports that a kind is
// not served, and older tools validate by it. Version 2 has no choices between schemas and no null, and its readers
// take a schema with properties as a closed one, so some of what version 3 says is left out.
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2.

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json/index.ts";
import type { Registry } from "../../resources/registry.ts";
import { REF_PREFIX, SCALAR_COMPONENTS } from "./components.ts";
import { INFO, openApiDocuments } from "./document.ts";

const V2_PREFIX = "#/definitions/";
const KINDS = "x-kubernetes-group-version-kind";
const KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields";
/** Choices between schemas: a value of several types is described as text, anything else by its other rules alone. */
const CHOICES: readonly string[] = ["allOf", "anyOf", "oneOf", "not"];

export function openApiV2(registry: Registry): JsonObject {
  const all = [...openApiDocuments(registry).values()].map(partOf);
  return {
    swagger: "2.0",
    info: INFO,
    paths: Object.fromEntries(all.flatMap(({ paths }) => paths)),
    definitions: Object.fromEntries(all.flatMap(({ definitions }) => definitions)),
  };
}

interface Part {
  readonly paths: readonly (readonly [string, JsonObject])[];
  readonly definitions: readonly (readonly [string, JsonObject])[];
}

/** The document of a group is the same one until a definition changes it. */
const parts = new WeakMap<JsonObject, Part>();

function partOf(document: JsonObject): Part {
  const schemas = entries(members(document["components"])["schemas"]);
  const made = parts.get(document) ?? {
    paths: entries(document["paths"]).map(([path, item]) => [path, pathItem(members(item))]),
    definitions: schemas.map(([name, schema]) => [name, definition(name, members(schema))]),
  };
  parts.set(document, made);
  return made;
}

function members(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function entries(value: Json | undefined): readonly (readonly [string, Json])[] {
  return Object.entries(members(value));
}

function definition(name: string, schema: JsonObject): JsonObject {
  if (Object.hasOwn(SCALAR_COMPONENTS, name)) return { ...schemaOf(schema), type: "string" };
  if (schema[KEEPS_UNKNOWN] === true) return { type: "object", [KINDS]: schema[KINDS] ?? [] };
  return schemaOf(schema);
}

function schemaOf(written: Json): JsonObject {
  const node = members(written);
  const [only, second] = Array.isArray(node["allOf"]) ? node["allOf"] : [];
  const ref = members(second === undefined ? only : undefined)["$ref"] ?? node["$ref"];
  const kept = Object.entries(node).filter(([name]) => name !== "nullable" && !CHOICES.includes(name));
  const schema: Record<string, Json> = Object.fromEntries(kept);
  if (typeof ref === "string") return { ...schema, $ref: ref.replace(REF_PREFIX, V2_PREFIX) };
  if (node["nullable"] === true || node[KEEPS_UNKNOWN] === true) {
    delete schema["items"];
    delete schema["properties"];
    if (node["nullable"] === true || schema["type"] === "object") delete schema["type"];
  }
  if (schema["type"] === "array" && schema["items"] === undefined) delete schema["type"];
  return { ...schema, ...inner(schema), ...requiredOf(node, schema) };
}

function inner(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties: more } = schema;
  const named = entries(properties).map(([name, one]) => [name, schemaOf(one)] as const);
  return {
    ...(properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    ...(items === undefined ? {} : { items: schemaOf(items) }),
    ...(isJsonObject(more) ? { additionalProperties: schemaOf(more) } : {}),
  };
}

/** A field that may be null cannot be called required: without null, it would have to be there. */
function requiredOf(node: JsonObject, { required }: JsonObject): JsonObject {
  if (!Array.isArray(required)) return {};
  const fields = members(node["properties"]);
  // Nor what only the properties say that such a schema loses.
  const isOpenObject = node[KEEPS_UNKNOWN] === true && node["x-kubernetes-embedded-resource"] === true;
  const lost = isOpenObject ? ["kind", "apiVersion"] : [];
  const isKept = (name: string) => !lost.includes(name) && members(fields[name])["nullable"] !== true;
  const kept = required.filter((name) => isKept(String(name)));
  return { required: kept.length === 0 ? undefined : kept } as JsonObject;
}

function pathItem(item: JsonObject): JsonObject {
  const converted = Object.entries(item).map(([name, value]) => {
    if (name === "parameters") return [name, parameters(value)] as const;
    return [name, operation(members(value))] as const;
  });
  return Object.fromEntries(converted);
}

function operation({ requestBody, responses, ...rest }: JsonObject): JsonObject {
  const bodies = entries(members(requestBody)["content"]);
  const [, body] = bodies[0] ?? [];
  const schema = body === undefined ? undefined : schemaOf(members(body)["schema"] ?? {});
  const sent = schema === undefined ? [] : [{ name: "body", in: "body", required: true, schema }];
  const all = [...parameters(rest["parameters"]), ...sent];
  return {
    ...rest,
    ...(bodies.length === 0 ? {} : { consumes: bodies.map(([type]) => type) }),
    produces: ["application/json"],
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(entries(responses).map(([code, one]) => [code, response(members(one))])),
  };
}

function response({ description = "", content }: JsonObject): JsonObject {
  const schema = members(members(content)["application/json"])["schema"];
  return { description, ...(schema === undefined ? {} : { schema: schemaOf(schema) }) };
}

/** The type of a parameter is beside its name, not in a schema. */
function parameters(value: Json | undefined): readonly JsonObject[] {
  const all = Array.isArray(value) ? value.map(members) : [];
  return all.map(({ schema, ...rest }) => ({ ...rest, ...members(schema) }));
}
