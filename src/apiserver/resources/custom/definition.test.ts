import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  capiMachines,
  definitionOf,
  joinPolicies,
  nodeIdentities,
  openShiftMachines,
} from "../../../../test/builders/definitions.ts";
import type { Json } from "../../../kernel/json/index.ts";
import { describeError } from "../field-error.ts";
import { metaForUpdate } from "../metadata.ts";
import { type Definition, isConditionTrue } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { kindsOf } from "./kind.ts";

const NOW = Date.parse("2026-01-02T03:04:05Z");

function factsWith(others: readonly Definition[] = []) {
  return { user: { username: "", groups: [] }, nowMs: NOW, list: () => others };
}

function created(definition: Definition, others: readonly Definition[] = []): Definition {
  return definitionStrategy.prepareCreate(definition, factsWith(others));
}

function errorsOf(definition: Definition): readonly string[] {
  const errors = definitionStrategy.validateCreate(created(definition));
  return errors.map((error) => `${error.field}: ${describeError(error)}`);
}

describe("a new definition", () => {
  it("gets its other names, its stored version and its conditions", () => {
    const { spec, status, metadata } = created(definitionOf());
    expect(spec.names).toEqual({ plural: "widgets", kind: "Widget", singular: "widget", listKind: "WidgetList" });
    expect(spec.conversion).toEqual({ strategy: "None" });
    expect(metadata.generation).toBe(1);
    expect(status?.storedVersions).toEqual(["v1"]);
    expect(status?.acceptedNames).toEqual(spec.names);
    expect(status?.conditions).toEqual([
      {
        type: "NamesAccepted",
        status: "True",
        lastTransitionTime: "2026-01-02T03:04:05Z",
        reason: "NoConflicts",
        message: "no conflicts found",
      },
      {
        type: "Established",
        status: "True",
        lastTransitionTime: "2026-01-02T03:04:05Z",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
    ]);
  });

  it("keeps no status that a client sent", () => {
    const sent = { ...definitionOf(), status: { storedVersions: ["v9"] } };
    expect(created(sent).status?.storedVersions).toEqual(["v1"]);
  });

  it.each([capiMachines(), openShiftMachines(), nodeIdentities(), joinPolicies()])(
    "$metadata.name is accepted",
    (one) => {
      expect(errorsOf(one)).toEqual([]);
    },
  );

  it("waits while another of its group has its names", () => {
    const first = created(definitionOf());
    const second = created(definitionOf({ plural: "gadgets", names: { shortNames: ["widget"] } }), [first]);
    expect(isConditionTrue(second, "NamesAccepted")).toBe(false);
    expect(isConditionTrue(second, "Established")).toBe(false);
    expect(second.status?.conditions?.[0]).toMatchObject({ reason: "ListKindConflict" });
    expect(second.status?.acceptedNames).toMatchObject({ plural: "gadgets", kind: "" });
    expect(kindsOf(second)).toEqual([]);
  });

  it("does not mind the same names in another group", () => {
    const first = created(capiMachines());
    expect(isConditionTrue(created(openShiftMachines(), [first]), "Established")).toBe(true);
  });
});

describe("the validation of a definition", () => {
  const object = (properties: { readonly [name: string]: Json }): Json => ({ type: "object", properties });
  const examples: Record<string, [Definition, string]> = {
    "wants its name to be made of plural and group": [
      { ...definitionOf(), metadata: { name: "x" } },
      'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ],
    "wants a group with a dot": [
      definitionOf({ group: "example" }),
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    ],
    "wants a plural in lower case": [definitionOf({ plural: "Widgets" }), "spec.names.plural: Invalid value"],
    "wants a kind that is a word": [
      definitionOf({ kind: "Wid get" }),
      'spec.names.kind: Invalid value: "Wid get": may have mixed case, but should otherwise match: ',
    ],
    "wants one storage version": [
      definitionOf({ version: { storage: false } }),
      'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as storage version',
    ],
    "wants a schema": [
      definitionOf({ version: { schema: {} } }),
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ],
    "wants approval for a group of Kubernetes": [
      definitionOf({ group: "storage.k8s.io" }),
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval",
    ],
    "wants a root that is an object": [
      definitionOf({ schema: { type: "string" } }),
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ],
    "wants a type for every field": [
      definitionOf({ schema: object({ spec: {} }) }),
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
    "wants no types inside anyOf": [
      definitionOf({ schema: object({ spec: { type: "string", anyOf: [{ type: "string" }] } }) }),
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural",
    ],
    "wants fields inside allOf to be known outside": [
      definitionOf({
        schema: {
          type: "object",
          properties: { spec: { type: "object" } },
          allOf: [{ properties: { spec: { properties: { x: { minimum: 1 } } } } }],
        },
      }),
      "spec.validation.openAPIV3Schema.properties[spec].properties[x]: Required value: because it is defined in spec.validation.openAPIV3Schema.allOf[0].properties[spec].properties[x]",
    ],
    "wants items for a list": [
      definitionOf({ schema: object({ spec: { type: "array" } }) }),
      "spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified",
    ],
    "wants metadata left alone": [
      definitionOf({ schema: object({ metadata: object({ labels: { type: "object" } }) }) }),
      "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName",
    ],
    "wants no references": [
      definitionOf({ schema: object({ spec: { type: "object", $ref: "#/x" } }) }),
      "spec.validation.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported",
    ],
    "wants properties or additionalProperties": [
      definitionOf({
        schema: object({
          spec: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
        }),
      }),
      "spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ],
    "wants a pattern that is a pattern": [
      definitionOf({ schema: object({ spec: { type: "string", pattern: "(" } }) }),
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
    "wants a default that fits": [
      definitionOf({ schema: object({ spec: { type: "integer", default: "x" } }) }),
      "spec.validation.openAPIV3Schema.properties[spec].default: Invalid value",
    ],
    "wants a default without unknown fields": [
      definitionOf({ schema: object({ spec: { type: "object", default: { x: 1 } } }) }),
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"x":1}: must not have unknown fields',
    ],
    "wants keys for a map": [
      definitionOf({
        schema: object({ spec: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" } }),
      }),
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    ],
    "wants columns of a known type": [
      definitionOf({ version: { additionalPrinterColumns: [{ name: "A", type: "x", jsonPath: ".a" }] } }),
      'spec.additionalPrinterColumns[0].type: Invalid value: "x": must be one of boolean,date,integer,number,string',
    ],
    "wants selectable fields that exist": [
      definitionOf({ version: { selectableFields: [{ jsonPath: ".spec.x" }] } }),
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
    ],
    "wants a schema of bearable size": [
      definitionOf({
        schema: object(Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`f${at}`, { type: "string" }]))),
      }),
      "spec.validation.openAPIV3Schema: Forbidden: a schema may have at most 20000 nodes",
    ],
  };
  for (const [name, [definition, expected]] of Object.entries(examples)) {
    it(name, () => expect(errorsOf(definition).join("\n")).toContain(expected));
  }

  it("tells the version when versions differ", () => {
    const versions = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "array" } } },
    ];
    expect(errorsOf(definitionOf({ versions })).join("\n")).toContain("spec.versions[1].schema.openAPIV3Schema.type");
  });
});

describe("an update of a definition", () => {
  const current = created(definitionOf());
  const update = (change: (definition: Definition) => Definition) => {
    const sent = change(structuredClone(current));
    const metadata = metaForUpdate(sent.metadata, current.metadata);
    const next = definitionStrategy.prepareUpdate({ ...sent, metadata }, current, factsWith([current]));
    const errors = definitionStrategy.validateUpdate(next, current).map((one) => `${one.field}: ${describeError(one)}`);
    return { next, errors };
  };

  it("counts only changes of the spec", () => {
    const labelled = update((one) => ({ ...one, metadata: { ...one.metadata, labels: { a: "b" } } }));
    expect(labelled.next.metadata.generation).toBe(1);
    const renamed = update((one) => ({
      ...one,
      spec: { ...one.spec, names: { ...one.spec.names, shortNames: ["w"] } },
    }));
    expect(renamed.next.metadata.generation).toBe(2);
    expect(renamed.next.status?.acceptedNames?.shortNames).toEqual(["w"]);
  });

  it("may not change kind and scope of an established one", () => {
    const { errors } = update((one) => ({ ...one, spec: { ...one.spec, scope: "Cluster" } }));
    expect(errors).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable']);
  });

  it("remembers every version that was a storage version, and does not let go of it", () => {
    const versions = [{ ...current.spec.versions?.[0], name: "v2" }];
    const { next, errors } = update((one) => ({ ...one, spec: { ...one.spec, versions } }));
    expect(next.status?.storedVersions).toEqual(["v1", "v2"]);
    expect(errors[0]).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions;');
  });
});

describe("the warnings about a definition", () => {
  const warned = (definition: Definition) => definitionStrategy.warnings?.(definition, undefined);

  it("say that rules in CEL are not evaluated", () => {
    const rules = [{ rule: "self.a == 1" }];
    const schema = { type: "object", properties: { spec: { type: "object", "x-kubernetes-validations": rules } } };
    expect(warned(definitionOf({ schema }))).toEqual([
      "x-kubernetes-validations are stored but not evaluated by this server",
    ]);
  });

  it("say that a format is unknown", () => {
    const schema = { type: "object", properties: { spec: { type: "string", format: "colour" } } };
    expect(warned(definitionOf({ schema }))).toEqual(['unrecognized format "colour"']);
  });

  it("are silent otherwise", () => expect(warned(capiMachines())).toEqual([]));
});

describe("whatever stands in a schema", () => {
  const words = [
    ...["type", "properties", "items", "allOf", "anyOf", "oneOf", "not", "enum", "default", "pattern", "required"],
    ...["additionalProperties", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "nullable", "metadata", "a"],
  ];
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<Json>(null, true, 1, "object", "array", "string", "map", "a", "(", "[a-z]+"),
      fc.array(tie("json"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...words), tie("json"), { maxKeys: 4 }),
    ),
  }));

  it("is judged and read without an accident", () => {
    fc.assert(
      fc.property(json, (schema) => {
        const definition = definitionOf({ schema });
        expect(Array.isArray(errorsOf(definition))).toBe(true);
        expect(kindsOf(created(definition))).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });
});
