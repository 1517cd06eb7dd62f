import { describe, expect, it } from "vitest";
import { createRegistry } from "../resources/registry.ts";
import { conform } from "./conform.ts";
import { builtInSchema, type StructSchema, schemaOfKind, zeroOf } from "./index.ts";

function kind(name: string, group = ""): StructSchema {
  const schema = builtInSchema({ group, version: "v1", plural: "", kind: name, namespaced: true });
  if (schema === undefined) throw new TypeError(name);
  return schema;
}

describe("schemas", () => {
  it("exist for every kind that is served", () => {
    const missing = createRegistry()
      .strategies()
      .filter((strategy) => schemaOfKind(strategy) === undefined)
      .map(({ resource }) => resource.kind);
    expect(missing).toEqual([]);
  });

  it("know the keys of lists", () => {
    const conditions = kind("CertificateSigningRequest", "certificates.k8s.io").fields().get("status")?.schema;
    expect(conditions?.kind === "struct" && conditions.fields().get("conditions")?.schema).toMatchObject({
      listType: "map",
      keys: ["type"],
      patchMerge: undefined,
    });
  });

  it("know what an empty object holds", () => {
    expect(zeroOf(kind("ConfigMap"))).toEqual({ metadata: { creationTimestamp: null } });
    expect(zeroOf(kind("Pod"))).toMatchObject({ spec: { containers: null }, status: {} });
  });
});

describe("an object that conforms", () => {
  const NODE = kind("Node");

  it("keeps what its kind has, and loses what Go would not write", () => {
    const sent = {
      metadata: { name: "n", labels: {}, creationTimestamp: null, finalizers: [] },
      spec: { podCIDR: "", unschedulable: false, taints: [{ key: "a", effect: "" }] },
      status: { addresses: [] },
    };
    expect(conform(sent, NODE).object).toEqual({
      metadata: { name: "n" },
      spec: { taints: [{ key: "a", effect: "" }] },
      status: {},
    });
  });

  it("keeps what a pointer points to, even when it is empty", () => {
    const sent = { spec: { leaseDurationSeconds: 0, holderIdentity: "" } };
    expect(conform(sent, kind("Lease", "coordination.k8s.io")).object).toEqual(sent);
  });

  it("tells the fields its kind does not have, with their paths", () => {
    const sent = {
      spec: { taints: [{ key: "a", color: "red" }], size: 1 },
      extra: {},
      metadata: { labels: { any: "x" } },
    };
    expect(conform(sent, NODE).unknown).toEqual(["spec.taints[0].color", "spec.size", "extra"]);
  });

  const wrong: Record<string, [object, string]> = {
    "a number for a text": [
      { spec: { podCIDR: 1 } },
      "number into Go struct field NodeSpec.spec.podCIDR of type string",
    ],
    "a text for a list": [
      { spec: { taints: "x" } },
      "string into Go struct field NodeSpec.spec.taints of type []Taint",
    ],
    "a list for a struct": [{ spec: [] }, "array into Go struct field Node.spec of type NodeSpec"],
    "a list for a map": [
      { metadata: { labels: [] } },
      "array into Go struct field ObjectMeta.metadata.labels of type map",
    ],
    "a null in a list": [{ spec: { taints: [null] } }, "null into Go struct field NodeSpec.spec.taints of type Taint"],
    "a fraction for a count": [
      { metadata: { generation: 1.5 } },
      "number into Go struct field ObjectMeta.metadata.generation of type int64",
    ],
  };
  it.each(Object.entries(wrong))("has no %s", (_name, [sent, problem]) => {
    expect(conform(JSON.parse(JSON.stringify(sent)), NODE).problem).toBe(`json: cannot unmarshal ${problem}`);
  });

  it("has times that are times", () => {
    const sent = { metadata: { creationTimestamp: "yesterday" } };
    expect(conform(sent, NODE).problem).toContain("not RFC 3339");
  });
});
