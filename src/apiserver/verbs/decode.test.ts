import { describe, expect, it } from "vitest";
import { NODES, PODS, type Resource } from "../../api/meta/index.ts";
import type { Json } from "../../kernel/json/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../resources/custom/index.ts";
import { createRegistry } from "../resources/registry.ts";
import { decodeObject } from "./decode.ts";

function refusalOf(resource: Resource, body: Json): string {
  try {
    decodeObject(body, { resource });
    return "none";
  } catch (error) {
    if (!isFault(error, "malformed")) throw error;
    return error.message;
  }
}

const aPod = (spec: Json): Json => ({ metadata: { name: "p" }, spec });
const withLimits = (limits: Json): Json => aPod({ containers: [{ name: "c", resources: { limits } }] });
const withSizeLimit = (sizeLimit: Json): Json => aPod({ volumes: [{ name: "v", emptyDir: { sizeLimit } }] });
const aDefinition = (items: Json): Json => ({
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", items } } }] },
});

describe("the schema of a kind, the one check of a body", () => {
  it("exists for everything that can be sent to a built-in kind", () => {
    const registry = createRegistry();
    const strategies = registry.strategies();
    const subresources = strategies.flatMap(({ creates }) => creates);
    const speeches = strategies.flatMap((one) => one.subresources.flatMap(({ speaks }) => speaks ?? []));
    for (const { resource } of [...strategies, ...registry.reviews(), ...subresources, ...speeches]) {
      expect(decodeObject({}, { resource }), resource.kind).toMatchObject({ kind: resource.kind, metadata: {} });
    }
  });

  const refused: Record<string, [Resource, Json, string]> = {
    "a quantity of a container that is none": [PODS, withLimits({ cpu: "much" }), "quantities must match"],
    "a quantity anywhere else that is none": [PODS, withSizeLimit("1 apple"), "quantities must match"],
    "a quantity that is no text and no number": [PODS, withLimits({ cpu: true }), "cannot unmarshal bool"],
    "a time that is none": [PODS, { metadata: { deletionTimestamp: "soon" } }, "parsing time"],
    "an int32 beyond its range": [PODS, aPod({ priority: 2 ** 31 }), "of type int32"],
    "a null in a list": [PODS, { metadata: { finalizers: [null] } }, "cannot unmarshal null"],
    "a wrong type in a schema of a definition": [
      CUSTOM_RESOURCE_DEFINITIONS,
      aDefinition({ type: 5 }),
      "CustomResourceDefinition.spec.versions.schema.openAPIV3Schema.items.schema.type of type string",
    ],
    "a choice of a definition that is none": [CUSTOM_RESOURCE_DEFINITIONS, aDefinition("x"), "of type JSONSchemaProps"],
  };
  for (const [name, [resource, body, message]] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(refusalOf(resource, body)).toContain(message));
  }

  it("reads a quantity that is written as a number", () => {
    const { spec } = decodeObject(withLimits({ cpu: 2, memory: 1.5 }), { resource: PODS }) as unknown as {
      spec: { containers: readonly { resources: unknown }[] };
    };
    expect(spec.containers[0]?.resources).toEqual({ limits: { cpu: "2", memory: "1.5" } });
  });

  it("takes what a kubelet tells about swap among the texts of nodeInfo", () => {
    const status = { nodeInfo: { kubeletVersion: "v1.36.3", swap: { capacity: 1024 } } };
    expect(decodeObject({ status }, { resource: NODES })).toMatchObject({ status });
  });
});
