// The schema of a custom kind as the OpenAPI v3 documents show it: as it was written, with what every object has. kubectl
// explain and the validation of kubectl read it. k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.

import { isJsonObject, type Json, type JsonObject } from "../../entry/json.ts";
import type { CustomKind, Strategy } from "../strategy.ts";

const API_VERSION = "The version of the schema that this object is written in.";
const KIND = "The kind of this object, as it is named in URLs and in lists.";
const METADATA = "Name, labels and everything else that every object has.";

export interface OpenApiNames {
  /** Where the document describes metadata: `#/components/schemas/…ObjectMeta`. */
  readonly objectMeta: string;
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
  return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, published(inner)]));
}
