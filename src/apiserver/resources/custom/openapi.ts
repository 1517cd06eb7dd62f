// The schema of a custom kind as the OpenAPI v3 documents show it: as it was written, with what every object has.
// kubectl explain and the validation of kubectl read it. k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.

import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json/index.ts";
import type { CustomKind, Strategy } from "../strategy.ts";

const CONVENTIONS = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/**
 * The descriptions that Kubernetes gives to the fields that every object has. Client tools and generators of
 * definitions expect exactly these.
 */
export const API_VERSION = [
  "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized",
  `schemas to the latest internal value, and may reject unrecognized values. ${CONVENTIONS}#resources`,
].join(" ");
export const KIND = [
  "Kind is a string value representing the REST resource this object represents. Servers may infer this from the",
  `endpoint the client submits requests to. Cannot be updated. In CamelCase. ${CONVENTIONS}#types-kinds`,
].join(" ");
export const METADATA = `Standard object's metadata. ${CONVENTIONS}#metadata`;
export const LIST_METADATA = `Standard list metadata. ${CONVENTIONS}#types-kinds`;

const EMBEDDED_API_VERSION = [
  "apiVersion defines the versioned schema of this representation of an object.",
  `${CONVENTIONS}#resources`,
].join(" ");
const EMBEDDED_KIND = [
  "kind is a string value representing the type of this object. In CamelCase.",
  `${CONVENTIONS}#types-kinds`,
].join(" ");

/** Where the document describes metadata: `#/components/schemas/…ObjectMeta`. */
interface OpenApiNames {
  readonly objectMeta: string;
  readonly listMeta: string;
}

/** The component of its lists. */
export function openApiListOf({ resource, custom }: Strategy, names: OpenApiNames & { item: string }): JsonObject {
  return {
    description: `${custom?.listKind} is a list of ${resource.kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { description: API_VERSION, type: "string" },
      items: { description: `List of ${resource.plural}. ${CONVENTIONS}`, type: "array", items: { $ref: names.item } },
      kind: { description: KIND, type: "string" },
      metadata: { description: LIST_METADATA, allOf: [{ $ref: names.listMeta }] },
    },
  };
}

/** A component for `components.schemas`. */
export function openApiSchemaOf({ resource, custom }: Strategy, names: OpenApiNames): JsonObject {
  const written = custom === undefined ? {} : published(custom.document, names);
  const root = isJsonObject(written) ? written : {};
  const properties = isJsonObject(root["properties"]) ? root["properties"] : {};
  const { group, version, kind } = resource;
  return {
    ...root,
    type: "object",
    properties: {
      apiVersion: { description: API_VERSION, type: "string" },
      kind: { description: KIND, type: "string" },
      ...properties,
      metadata: { description: METADATA, allOf: [{ $ref: names.objectMeta }] },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

/**
 * Without what OpenAPI cannot express, and with the meaning of Kubernetes' extensions for readers that do not know
 * them.
 */
function published(value: CustomKind["document"], names: OpenApiNames): Json {
  if (Array.isArray(value)) return value.map((one: Json) => published(one, names));
  if (!isJsonObject(value)) return value;
  const { "x-kubernetes-validations": _rules, ...rest } = value;
  const entries = Object.entries(rest).map(([name, inner]) => [name, published(inner, names)] as const);
  return { ...Object.fromEntries(entries), ...eitherOf(rest), ...objectOf(rest, entries, names) };
}

function eitherOf(node: JsonObject): JsonObject {
  const isMarked = node["x-kubernetes-int-or-string"] === true && node["anyOf"] === undefined;
  return isMarked ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {};
}

/** An embedded object has apiVersion, kind and metadata. */
function objectOf(node: JsonObject, entries: readonly (readonly [string, Json])[], names: OpenApiNames): JsonObject {
  if (node["x-kubernetes-embedded-resource"] !== true) return {};
  const { properties, required } = Object.fromEntries(entries);
  const given = Array.isArray(required) ? required : [];
  const missing = ["kind", "apiVersion"].filter((name) => !given.includes(name));
  return {
    properties: {
      ...(isJsonObject(properties) ? properties : {}),
      apiVersion: { description: EMBEDDED_API_VERSION, type: "string" },
      kind: { description: EMBEDDED_KIND, type: "string" },
      metadata: { description: METADATA, allOf: [{ $ref: names.objectMeta }] },
    },
    required: [...given, ...missing],
  };
}
