// One OpenAPI document for each group and version, made from the kinds that are served: version 3 as kubectl reads it, and
// all of them together in the older version 2 for tools that ask for that.

import { apiVersionOf, type Resource } from "../../../api/meta/index.ts";
import type { JsonObject } from "../../entry/json.ts";
import { openApiSchemaOf } from "../../resources/custom/index.ts";
import type { Registry } from "../../resources/registry.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { builtInSchema } from "../../schema/index.ts";
import {
  componentName,
  componentOf,
  customComponentName,
  type Naming,
  OBJECT_META,
  partsOf,
  SCALAR_COMPONENTS,
} from "./components.ts";
import { pathsOf } from "./paths.ts";

const INFO = { title: "Kubernetes", version: "v1.36.3" };
const V3: Naming = { refPrefix: "#/components/schemas/" };
const V2: Naming = { refPrefix: "#/definitions/" };

const JSON_PATCHES = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const STRATEGIC = "application/strategic-merge-patch+json";

/** A kind as documents need it: stored ones and reviews alike. */
type Described = Pick<Strategy, "resource" | "verbs" | "custom">;

/** `api/v1`, `apis/certificates.k8s.io/v1` -> its document. */
export function openApiDocuments(registry: Registry): ReadonlyMap<string, JsonObject> {
  const documents = new Map<string, JsonObject>();
  for (const [path, kinds] of byGroupVersion(registry)) {
    documents.set(path, {
      openapi: "3.0.0",
      info: INFO,
      paths: mergeAll(kinds.map((kind) => pathsOf({ ...described(kind), ref: refOf(kind, V3) }))),
      components: { schemas: schemasOf(kinds, V3) },
    });
  }
  return documents;
}

/** Only the definitions: what older tools validate by. */
export function openApiV2(registry: Registry): JsonObject {
  const kinds = [...byGroupVersion(registry).values()].flat();
  return { swagger: "2.0", info: INFO, paths: {}, definitions: schemasOf(kinds, V2) };
}

function byGroupVersion(registry: Registry): ReadonlyMap<string, readonly Described[]> {
  const reviews = registry.reviews().map(({ resource }): Described => ({ resource, verbs: ["create"] }));
  const groups = new Map<string, Described[]>();
  for (const kind of [...registry.strategies(), ...reviews]) {
    const { group } = kind.resource;
    const path = `${group === "" ? "api" : "apis"}/${apiVersionOf(kind.resource)}`;
    groups.set(path, [...(groups.get(path) ?? []), kind]);
  }
  return groups;
}

function described({ resource, verbs, custom }: Described) {
  return { resource, verbs, patchTypes: custom === undefined ? [...JSON_PATCHES, STRATEGIC] : JSON_PATCHES };
}

function refOf({ resource, custom }: Described, { refPrefix }: Naming): string {
  const schema = custom === undefined ? builtInSchema(resource) : undefined;
  return `${refPrefix}${schema === undefined ? customComponentName(resource) : componentName(schema)}`;
}

function schemasOf(kinds: readonly Described[], naming: Naming): JsonObject {
  const schemas: Record<string, JsonObject> = { ...SCALAR_COMPONENTS };
  for (const kind of kinds) Object.assign(schemas, builtInComponents(kind, naming), customComponent(kind, naming));
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function builtInComponents({ resource, custom }: Described, naming: Naming): Record<string, JsonObject> {
  // A custom kind needs the description of metadata, which any built-in kind has.
  const schema = builtInSchema(custom === undefined ? resource : ANY_BUILT_IN);
  if (schema === undefined) return {};
  const components: Record<string, JsonObject> = {};
  for (const [name, part] of partsOf(schema)) {
    if (part !== schema) components[name] = componentOf(part, naming);
    else if (custom === undefined) components[name] = { ...componentOf(part, naming), ...kindOf(resource) };
  }
  return components;
}

const ANY_BUILT_IN: Resource = { group: "", version: "v1", plural: "", kind: "ConfigMap", namespaced: true };

function kindOf({ group, version, kind }: Resource): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}

function customComponent(kind: Described, { refPrefix }: Naming): Record<string, JsonObject> {
  if (kind.custom === undefined) return {};
  const component = openApiSchemaOf(kind as Strategy, { objectMeta: `${refPrefix}${OBJECT_META}` });
  return { [customComponentName(kind.resource)]: component };
}

function mergeAll(parts: readonly JsonObject[]): JsonObject {
  return Object.assign({}, ...parts) as JsonObject;
}
