// The types of the fields of a CustomResourceDefinition. A schema may hold schemas, so its shape holds itself.

import { META_SHAPE, type Shape } from "../shape.ts";

const SCALARS: Readonly<Record<string, Shape>> = {
  type: "string",
  format: "string",
  title: "string",
  description: "string",
  pattern: "string",
  nullable: "boolean",
  uniqueItems: "boolean",
  exclusiveMinimum: "boolean",
  exclusiveMaximum: "boolean",
  minLength: "integer",
  maxLength: "integer",
  minItems: "integer",
  maxItems: "integer",
  minProperties: "integer",
  maxProperties: "integer",
  required: ["string"],
  enum: ["any"],
  "x-kubernetes-preserve-unknown-fields": "boolean",
  "x-kubernetes-embedded-resource": "boolean",
  "x-kubernetes-int-or-string": "boolean",
  "x-kubernetes-list-type": "string",
  "x-kubernetes-map-type": "string",
  "x-kubernetes-list-map-keys": ["string"],
};

/** `items` and `additionalProperties` have two forms each, which the validation of the schema tells apart. */
function schemaShape(): Shape {
  const shape: Record<string, Shape> = { ...SCALARS };
  return Object.assign(shape, {
    properties: { "*": shape },
    allOf: [shape],
    anyOf: [shape],
    oneOf: [shape],
    not: shape,
  });
}

const NAMES: Shape = {
  plural: "string",
  singular: "string",
  kind: "string",
  listKind: "string",
  shortNames: ["string"],
  categories: ["string"],
};

export const DEFINITION_SHAPE: Shape = {
  metadata: META_SHAPE,
  spec: {
    group: "string",
    scope: "string",
    preserveUnknownFields: "boolean",
    names: NAMES,
    conversion: { strategy: "string", webhook: { clientConfig: { "*": "any" }, conversionReviewVersions: ["string"] } },
    versions: [
      {
        name: "string",
        served: "boolean",
        storage: "boolean",
        deprecated: "boolean",
        deprecationWarning: "string",
        schema: { openAPIV3Schema: schemaShape() },
        subresources: {
          status: { "*": "any" },
          scale: { specReplicasPath: "string", statusReplicasPath: "string", labelSelectorPath: "string" },
        },
        additionalPrinterColumns: [
          {
            name: "string",
            type: "string",
            format: "string",
            description: "string",
            priority: "integer",
            jsonPath: "string",
          },
        ],
        selectableFields: [{ jsonPath: "string" }],
      },
    ],
  },
  status: {
    acceptedNames: NAMES,
    storedVersions: ["string"],
    conditions: [{ type: "string", status: "string", reason: "string", message: "string", lastTransitionTime: "time" }],
  },
};
