import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capiMachines, definitionOf } from "../../../../test/builders/definitions.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import type { Json } from "../../../kernel/json/index.ts";
import { describeError } from "../field-error.ts";
import type { Strategy } from "../strategy.ts";
import type { Definition } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { kindsOf } from "./kind.ts";

const NOW = Date.parse("2026-01-02T03:04:05Z");
const FACTS = { user: { username: "", groups: [] }, nowMs: NOW, list: () => [] };

function kinds(definition: Definition): readonly Strategy[] {
  return kindsOf(definitionStrategy.prepareCreate(definition, FACTS));
}

function machineKind(version: string): Strategy {
  const found = kinds(capiMachines()).find((one) => one.resource.version === version);
  if (found === undefined) throw new Error(`no kind of version ${version}`);
  return found;
}

const MACHINE = machineKind("v1beta2");

function machine(spec: object, more: object = {}): KubeObject {
  const object = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata: { name: "m" }, spec, ...more };
  return object as unknown as KubeObject;
}

function takeIn(object: KubeObject, strategy = MACHINE) {
  const taken = strategy.custom?.takeIn(object);
  if (taken === undefined) throw new Error("not a custom kind");
  return taken;
}

function errorsOf(object: KubeObject, strategy = MACHINE): readonly string[] {
  const next = strategy.prepareCreate(takeIn(object, strategy).object, FACTS);
  return strategy.validateCreate(next).map((error) => `${error.field}: ${describeError(error)}`);
}

describe("what a client sends", () => {
  it("loses the fields that the schema does not know, and is told which", () => {
    const { object, unknown } = takeIn(
      machine({
        clusterName: "c",
        color: "red",
        bootstrap: { x: 1 },
        labels: { any: "thing" },
        anything: { a: { b: 1 } },
      }),
    );
    expect(unknown).toEqual(["spec.bootstrap.x", "spec.color"]);
    expect(object).toMatchObject({
      spec: { clusterName: "c", bootstrap: {}, labels: { any: "thing" }, anything: { a: { b: 1 } } },
    });
    expect(object).not.toHaveProperty("spec.color");
  });

  it("gets its defaults, one inside the other", () => {
    expect(takeIn(machine({ clusterName: "c" })).object).toMatchObject({
      spec: { clusterName: "c", replicas: 1, deletion: { nodeDeletionTimeoutSeconds: 10 } },
    });
  });

  it("keeps null only where null is something", () => {
    const { object } = takeIn(
      machine({ clusterName: "c", bootstrap: { dataSecretName: null }, version: null, replicas: null }),
    );
    expect(object).toHaveProperty("spec.bootstrap.dataSecretName", null);
    expect(object).not.toHaveProperty("spec.version");
    expect(object).toHaveProperty("spec.replicas", 1);
  });

  it("starts at generation 1 and without a status", () => {
    const next = MACHINE.prepareCreate(machine({ clusterName: "c" }, { status: { phase: "Running" } }), FACTS);
    expect(next.metadata.generation).toBe(1);
    expect(next).not.toHaveProperty("status");
  });
});

describe("the validation of a custom resource", () => {
  const refused: Record<string, [object, string]> = {
    "a missing field": [{}, "spec.clusterName: Required value"],
    "a wrong type": [
      { clusterName: "c", replicas: "x" },
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    ],
    "a number that is too small": [
      { clusterName: "c", replicas: -1 },
      "spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0",
    ],
    "a text that is too short": [
      { clusterName: "" },
      'spec.clusterName: Invalid value: "": spec.clusterName in body should be at least 1 chars long',
    ],
    "a text that is too long": [
      { clusterName: "c".repeat(64) },
      "spec.clusterName: Too long: may not be more than 63 bytes",
    ],
    "too many items": [
      { clusterName: "c", taints: ["a", "b", "c", "d"] },
      "spec.taints: Too many: 4: must have at most 3 items",
    ],
    "an item twice in a set": [{ clusterName: "c", taints: ["a", "a", "a"] }, 'spec.taints[1]: Duplicate value: "a"'],
    "a wrong value in a map": [
      { clusterName: "c", labels: { a: 1 } },
      'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
    ],
    "neither number nor text": [
      { clusterName: "c", port: true },
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
  };
  for (const [name, [spec, expected]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(errorsOf(machine(spec))).toEqual([expected]));
  }

  it("refuses a number that is not of the size it should be", () => {
    const error = '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas';
    expect(errorsOf(machine({ clusterName: "c", replicas: 2 ** 31 }))).toEqual([error]);
    expect(errorsOf(machine({ clusterName: "c", replicas: 1.5 }))).toEqual([
      'spec.replicas: Invalid value: "float64": spec.replicas in body must be of type int32: "float64"',
      error,
    ]);
  });

  it("takes a number and a text where both will do", () => {
    expect(errorsOf(machine({ clusterName: "c", port: 80 }))).toEqual([]);
    expect(errorsOf(machine({ clusterName: "c", port: "http" }))).toEqual([]);
  });

  it("lets pass what was wrong before and has not changed", () => {
    const old = machine({ clusterName: "", replicas: 1, deletion: {} });
    const next = machine({ clusterName: "", replicas: 2, deletion: {} });
    expect(MACHINE.validateUpdate(next, old)).toEqual([]);
    expect(MACHINE.validateUpdate(machine({ clusterName: "", replicas: -2, deletion: {} }), old)).toHaveLength(1);
  });

  const alternatives: Json = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
        not: { properties: { b: { enum: ["no"] } }, required: ["b"] },
      },
    },
  };
  const [either] = kinds(definitionOf({ schema: alternatives }));
  const widget = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });
  it.each([
    [{}, '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid'],
    [
      { a: 1, b: "x" },
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [{ b: "no" }, '<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
  ])("refuses %j between alternatives", (spec, expected) => {
    expect(errorsOf(widget(spec), either)).toContain(expected);
  });
  it("takes one of the alternatives", () => expect(errorsOf(widget({ a: 1 }), either)).toEqual([]));
});

describe("the status of a custom resource", () => {
  const current = machine(
    { clusterName: "c" },
    { metadata: { name: "m", generation: 3 }, status: { phase: "Pending" } },
  );
  const [status] = MACHINE.subresources;

  it("is all that /status takes", () => {
    const sent = machine(
      { clusterName: "other" },
      { metadata: { name: "m", labels: { a: "b" } }, status: { phase: "Running" } },
    );
    const next = status?.prepareUpdate(sent, current, FACTS);
    expect(next).toEqual({ ...current, status: { phase: "Running" } });
  });

  it("is what an update does not take", () => {
    const sent = machine(
      { clusterName: "c" },
      { metadata: { name: "m", generation: 3 }, status: { phase: "Running" } },
    );
    expect(MACHINE.prepareUpdate(sent, current, FACTS)).toEqual(current);
  });

  it("does not count as a change, while the spec does", () => {
    const sent = machine({ clusterName: "d" }, { metadata: { name: "m", generation: 3 } });
    expect(MACHINE.prepareUpdate(sent, current, FACTS).metadata.generation).toBe(4);
  });

  it("is told by its own path", () => {
    const wrong = { ...current, status: { phase: "Lost", conditions: [{ type: "Ready" }] } } as KubeObject;
    expect(status?.validateUpdate(wrong, current).map((one) => `${one.field}: ${describeError(one)}`)).toEqual([
      'status.phase: Unsupported value: "Lost": supported values: "Pending", "Running"',
      "status.conditions[0].status: Required value",
    ]);
  });
});

describe("a kind in two versions", () => {
  it("is served in both, and stored in one", () => {
    const old = machineKind("v1beta1");
    const sent = { ...machine({ clusterName: "c", nodeDrainTimeout: "10s" }), apiVersion: "cluster.x-k8s.io/v1beta1" };
    const kept = old.face?.keep(takeIn(sent, old).object);
    expect(kept?.apiVersion).toBe("cluster.x-k8s.io/v1beta2");
    expect(kept).not.toHaveProperty("spec.nodeDrainTimeout");
    expect(kept === undefined ? undefined : old.face?.show(kept).apiVersion).toBe("cluster.x-k8s.io/v1beta1");
  });

  it("shows defaults that a stored object did not have", () => {
    expect(MACHINE.face?.show(machine({ clusterName: "c" }))).toHaveProperty("spec.replicas", 1);
  });

  it("warns about the one that is deprecated", () => {
    expect(machineKind("v1beta1").custom?.deprecation).toBe(
      "cluster.x-k8s.io/v1beta1 Machine is deprecated; use cluster.x-k8s.io/v1beta2 Machine",
    );
    expect(MACHINE.custom?.deprecation).toBeUndefined();
  });
});

describe("a custom resource for people", () => {
  const object = machine(
    { clusterName: "c", replicas: 2, providerID: "aws:///i-1" },
    {
      metadata: { name: "m", creationTimestamp: "2026-01-02T03:03:05Z" },
      status: {
        conditions: [
          { type: "Other", status: "False" },
          { type: "Ready", status: "True" },
        ],
      },
    },
  );

  it("shows its columns", () => {
    expect(MACHINE.table.columns.map(({ name }) => name)).toEqual([
      "Name",
      "Cluster",
      "Ready",
      "Replicas",
      "Age",
      "ProviderID",
    ]);
    expect(MACHINE.table.cells(object, NOW)).toEqual(["m", "c", "True", 2, "60s", "aws:///i-1"]);
  });

  it("shows nothing where there is nothing", () => {
    expect(MACHINE.table.cells(machine({ replicas: "x" }), NOW)).toEqual(["m", null, null, null, null, null]);
  });

  it("shows its age when it has no columns of its own", () => {
    const [plain] = kinds(definitionOf());
    expect(plain?.table.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
  });

  it("can be selected by the fields of its definition", () => {
    expect(MACHINE.selectableFields(object)).toEqual({ "spec.clusterName": "c" });
  });
});

describe("whatever is sent", () => {
  const names = [
    "spec",
    "status",
    "clusterName",
    "replicas",
    "taints",
    "labels",
    "conditions",
    "type",
    "anything",
    "x",
  ];
  const { json } = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, true, 0, -1, 1.5, 2 ** 40, "", "a", "True"),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, "constructor"), tie("json"), { maxKeys: 4 }),
    ),
  }));
  const object = fc.dictionary(fc.constantFrom("spec", "status", "x"), json, { maxKeys: 3 });

  it("is pruned and filled once and for all, and judged without an accident", () => {
    fc.assert(
      fc.property(object, (parts) => {
        const sent = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata: { name: "m" }, ...parts };
        const taken = takeIn(sent as unknown as KubeObject).object;
        expect(takeIn(taken)).toEqual({ object: taken, unknown: [] });
        expect(MACHINE.face?.show(taken)).toEqual(taken);
        expect(MACHINE.validateUpdate(taken, taken)).toEqual([]);
        expect(Array.isArray(MACHINE.validateCreate(taken))).toBe(true);
        expect(MACHINE.table.cells(taken, NOW)).toHaveLength(MACHINE.table.columns.length);
      }),
      { numRuns: 500 },
    );
  });
});
