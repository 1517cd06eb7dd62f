// The schema of a custom resource, parsed once from the JSON in its definition: what pruning, defaults, validation,
// apply and the OpenAPI documents read. k8s.io/apiextensions-apiserver: JSONSchemaProps and structural schemas.

import { isJsonObject, type Json, type JsonObject } from "../../../../kernel/json/index.ts";
import { Fault, isFault } from "../../../../kernel/outcome/index.ts";
import { compileRegexp, type Program } from "../../../../kernel/regexp/index.ts";

export interface CustomSchema {
  /** Empty when any type will do. */
  readonly types: readonly string[];
  readonly format: string;
  readonly isNullable: boolean;
  readonly default: Json | undefined;
  readonly properties: ReadonlyMap<string, CustomSchema>;
  /** The values of a map; true when any value will do, false when there may be no other fields. */
  readonly additional: CustomSchema | boolean | undefined;
  readonly items: CustomSchema | undefined;
  readonly required: readonly string[];
  readonly enum: readonly Json[] | undefined;
  readonly pattern: Program | undefined;
  readonly limits: SchemaLimits;
  readonly allOf: readonly CustomSchema[];
  readonly anyOf: readonly CustomSchema[];
  readonly oneOf: readonly CustomSchema[];
  readonly not: CustomSchema | undefined;
  readonly preservesUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
  /** How apply merges a list, and what must be unique in it. */
  readonly listType: "atomic" | "set" | "map";
  readonly listMapKeys: readonly string[];
  /** How apply merges an object: field by field, or as one value. */
  readonly mapType: "granular" | "atomic";
  /** Rules in CEL, which this server cannot read. */
  readonly hasUnreadRules: boolean;
}

export interface SchemaLimits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The largest definitions of Cluster API have a few thousand; every one costs memory and time on each write. */
const MAX_SCHEMA_NODES = 20_000;

interface Count {
  nodes: number;
}

/** Fault `limit-exceeded` for a schema that is too large. The types of the JSON have been checked before. */
export function parseSchema(raw: Json | undefined): CustomSchema {
  return parseNode(raw, { nodes: 0 });
}

function parseNode(raw: Json | undefined, count: Count): CustomSchema {
  count.nodes += 1;
  if (count.nodes > MAX_SCHEMA_NODES) {
    throw new Fault("limit-exceeded", `a schema may have at most ${MAX_SCHEMA_NODES} nodes`);
  }
  const node = isJsonObject(raw) ? raw : {};
  const isIntOrString = node["x-kubernetes-int-or-string"] === true;
  const type = textOf(node["type"]);
  return {
    types: isIntOrString ? ["integer", "string"] : type === "" ? [] : [type],
    format: textOf(node["format"]),
    isNullable: node["nullable"] === true,
    default: node["default"] ?? undefined,
    properties: parseProperties(node["properties"], count),
    additional: parseAdditional(node["additionalProperties"], count),
    items: isJsonObject(node["items"]) ? parseNode(node["items"], count) : undefined,
    required: textsOf(node["required"]),
    enum: Array.isArray(node["enum"]) ? node["enum"] : undefined,
    pattern: parsePattern(textOf(node["pattern"])),
    limits: limitsOf(node),
    allOf: parseList(node["allOf"], count),
    anyOf: parseList(node["anyOf"], count),
    oneOf: parseList(node["oneOf"], count),
    not: isJsonObject(node["not"]) ? parseNode(node["not"], count) : undefined,
    ...extensionsOf(node),
  };
}

type Extensions = Pick<
  CustomSchema,
  "preservesUnknownFields" | "isEmbeddedResource" | "listType" | "listMapKeys" | "mapType" | "hasUnreadRules"
>;

function extensionsOf(node: JsonObject): Extensions {
  const listType = node["x-kubernetes-list-type"];
  return {
    preservesUnknownFields: node["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbeddedResource: node["x-kubernetes-embedded-resource"] === true,
    listType: listType === "set" || listType === "map" ? listType : "atomic",
    listMapKeys: textsOf(node["x-kubernetes-list-map-keys"]),
    mapType: node["x-kubernetes-map-type"] === "atomic" ? "atomic" : "granular",
    hasUnreadRules: Array.isArray(node["x-kubernetes-validations"]) && node["x-kubernetes-validations"].length > 0,
  };
}

function parseProperties(raw: Json | undefined, count: Count): ReadonlyMap<string, CustomSchema> {
  if (!isJsonObject(raw)) return new Map();
  return new Map(Object.entries(raw).map(([name, node]) => [name, parseNode(node, count)]));
}

function parseAdditional(raw: Json | undefined, count: Count): CustomSchema | boolean | undefined {
  if (typeof raw === "boolean") return raw;
  return isJsonObject(raw) ? parseNode(raw, count) : undefined;
}

function parseList(raw: Json | undefined, count: Count): readonly CustomSchema[] {
  return Array.isArray(raw) ? raw.map((node: Json) => parseNode(node, count)) : [];
}

/** An invalid pattern is reported by the validation of the definition; here it restricts nothing. */
function parsePattern(pattern: string): Program | undefined {
  if (pattern === "") return undefined;
  try {
    return compileRegexp(pattern);
  } catch (error) {
    if (isFault(error, "malformed")) return undefined;
    throw error;
  }
}

const NUMBERS = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;

function limitsOf(node: JsonObject): SchemaLimits {
  const given = NUMBERS.filter((name) => typeof node[name] === "number").map((name) => [name, node[name]]);
  return {
    ...(Object.fromEntries(given) as SchemaLimits),
    ...(node["exclusiveMinimum"] === true ? { exclusiveMinimum: true } : {}),
    ...(node["exclusiveMaximum"] === true ? { exclusiveMaximum: true } : {}),
  };
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** True when the schema or anything in it has rules that this server cannot read. */
export function hasUnreadRules(schema: CustomSchema): boolean {
  if (schema.hasUnreadRules) return true;
  const inner = [...schema.properties.values(), schema.items, schema.additional, ...schema.allOf];
  return inner.some((one) => typeof one === "object" && hasUnreadRules(one));
}

/** These three read the JSON of a schema as it was written. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
