import { describe, expect, it } from "vitest";
import { createRegistry } from "../../resources/registry.ts";
import { openApiDocuments, openApiV2 } from "./document.ts";

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
