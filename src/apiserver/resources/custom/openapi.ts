// The schema of a custom kind as the OpenAPI v3 documents show it: as it was written, with what every object has. kubectl
// explain and the validation of kubectl read it. k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.

import { isJsonObject, type Json, type JsonObject } from "../../entry/json.ts";
import type { CustomKind, Strategy } from "../strategy.ts";

const CONVENTIONS = "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/**
 * The sentences of Kubernetes about what every object has. Client tools and the generators of definitions hold them to be
 * the same everywhere.
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

/** Where the document describes metadata: `#/components/schemas/…ObjectMeta`. */
export interface OpenApiNames {
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
  const written = custom === undefined ? {} : published(custom.document);
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

/** Without what OpenAPI has no place for; `nullable` without a type is refused by its readers. */
function published(value: CustomKind["document"]): Json {
  if (Array.isArray(value)) return value.map((one: Json) => published(one));
  if (!isJsonObject(value)) return value;
  const { "x-kubernetes-validations": _rules, ...rest } = value;
  // What the mark means, for readers that do not know it.
  const isEither = rest["x-kubernetes-int-or-string"] === true && rest["anyOf"] === undefined;
  const either = isEither ? { anyOf: [{ type: "integer" }, { type: "string" }] } : {};
  return { ...either, ...Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, published(inner)])) };
}
