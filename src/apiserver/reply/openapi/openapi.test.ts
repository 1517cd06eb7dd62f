import { describe, expect, it } from "vitest";
import { definitionOf } from "../../../../test/builders/definitions.ts";
import type { JsonObject } from "../../../kernel/json/index.ts";
import { kindsOf } from "../../resources/custom/index.ts";
import { createRegistry } from "../../resources/registry.ts";
import { openApiDocuments } from "./document.ts";
import { openApiV2 } from "./v2.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Component>> };
}
interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly "x-kubernetes-group-version-kind"?: { readonly kind: string };
}
interface Component {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

const documents = openApiDocuments(createRegistry()) as unknown as ReadonlyMap<string, Document>;
const core = documents.get("api/v1");

describe("OpenAPI documents", () => {
  it("are one for each group and version", () => {
    expect([...documents.keys()]).toContain("apis/certificates.k8s.io/v1");
    expect(core).toBeDefined();
  });

  it("tell kubectl that the server validates fields, kind by kind", () => {
    for (const document of documents.values()) {
      const patches = Object.values(document.paths).flatMap((item) =>
        item["patch"] === undefined ? [] : [item["patch"]],
      );
      for (const patch of patches) expect(patch.parameters?.map(({ name }) => name)).toContain("fieldValidation");
    }
    expect(core?.paths["/api/v1/nodes/{name}"]?.["patch"]).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "Node" },
    });
    expect(core?.paths["/api/v1/namespaces/{namespace}/configmaps"]?.["get"]).toBeDefined();
  });

  it("refer to nothing that they do not describe", () => {
    for (const document of documents.values()) {
      const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
      const missing = [...refs]
        .map(([, name = ""]) => name)
        .filter((name) => document.components.schemas[name] === undefined);
      expect(missing).toEqual([]);
    }
    const v2 = openApiV2(createRegistry()) as { definitions: Record<string, unknown> };
    const refs = JSON.stringify(v2).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g);
    expect([...refs].filter(([, name = ""]) => v2.definitions[name] === undefined)).toEqual([]);
  });

  it("say of a list that it is one, and name no parameters where there are none", () => {
    const nodes = core?.paths["/api/v1/nodes"];
    expect(JSON.stringify(nodes?.["get"])).toContain("io.k8s.api.core.v1.NodeList");
    expect(core?.components.schemas["io.k8s.api.core.v1.NodeList"]).toMatchObject({
      required: ["items"],
      "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "NodeList" }],
    });
    expect(JSON.stringify([...documents.values()])).not.toContain('"parameters":[]');
  });

  it("describe apiVersion, kind and metadata as Kubernetes does", () => {
    const node = core?.components.schemas["io.k8s.api.core.v1.Node"]?.properties;
    expect(node?.["apiVersion"]?.["description"]).toMatch(/^APIVersion defines the versioned schema/);
    expect(node?.["kind"]?.["description"]).toMatch(/^Kind is a string value/);
    expect(node?.["metadata"]?.["description"]).toMatch(/^Standard object's metadata\./);
  });

  it("say how lists merge and what is required", () => {
    const status = core?.components.schemas["io.k8s.api.core.v1.NodeStatus"];
    expect(status?.properties?.["conditions"]).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      "x-kubernetes-patch-merge-key": "type",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(core?.components.schemas["io.k8s.api.core.v1.Taint"]?.required).toEqual(["key", "effect"]);
  });
});

describe("the document of version 2", () => {
  const registry = createRegistry();
  const schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        required: ["some", "none"],
        properties: {
          some: { type: "string", anyOf: [{ minLength: 1 }] },
          none: { type: "object", nullable: true, properties: { a: { type: "string" } } },
          open: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "string" } } },
        },
      },
    },
  };
  const kind = (name: string, openAPIV3Schema: JsonObject) => {
    const definition = definitionOf({
      group: "x.dev",
      kind: name,
      plural: `${name}s`.toLowerCase(),
      schema: openAPIV3Schema,
    });
    const conditions = [{ type: "Established", status: "True" }];
    return kindsOf({ ...definition, status: { conditions, acceptedNames: definition.spec.names } } as never);
  };
  registry.define("closed", kind("Closed", schema));
  registry.define("open", kind("Open", { ...schema, "x-kubernetes-preserve-unknown-fields": true }));
  const { definitions, paths } = openApiV2(registry) as unknown as {
    readonly definitions: Readonly<Record<string, Component>>;
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };

  it("leaves out what its readers cannot read", () => {
    expect(definitions["dev.x.v1.Closed"]?.properties?.["spec"]).toEqual({
      type: "object",
      required: ["some"],
      properties: { some: { type: "string" }, none: {}, open: { "x-kubernetes-preserve-unknown-fields": true } },
    });
  });

  it("says nothing about the fields of a kind that keeps unknown ones", () => {
    expect(definitions["dev.x.v1.Open"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "x.dev", version: "v1", kind: "Open" }],
    });
  });

  it("tells that patches are validated, as version 3 does", () => {
    expect(paths["/api/v1/nodes/{name}"]?.["patch"]?.parameters).toContainEqual({
      name: "fieldValidation",
      in: "query",
      type: "string",
      uniqueItems: true,
    });
  });
});
