// One OpenAPI document of version 3 for each group and version, made from the kinds that are served.

import { apiVersionOf, type Resource } from "../../../api/meta/index.ts";
import type { JsonObject } from "../../../kernel/json/index.ts";
import { openApiListOf, openApiSchemaOf } from "../../resources/custom/index.ts";
import type { Registry } from "../../resources/registry.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { builtInSchema } from "../../schema/index.ts";
import {
  componentName,
  componentOf,
  customComponentName,
  LIST_META,
  OBJECT_META,
  partsOf,
  REF_PREFIX,
  SCALAR_COMPONENTS,
} from "./components.ts";
import { openApiPaths } from "./paths.ts";

export const INFO = { title: "Kubernetes", version: "v1.36.3" };

const JSON_PATCHES = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const STRATEGIC = "application/strategic-merge-patch+json";

/** A kind as documents need it: stored ones and reviews alike. */
type Described = Pick<Strategy, "resource" | "verbs" | "custom">;

/** `api/v1`, `apis/certificates.k8s.io/v1` -> its document. */
export function openApiDocuments(registry: Registry): ReadonlyMap<string, JsonObject> {
  const documents = new Map<string, JsonObject>();
  for (const [path, kinds] of byGroupVersion(registry)) documents.set(path, knownOr(path, kinds));
  return documents;
}

/** Those of built-in kinds alone never change; most definitions of others are in groups of their own. */
const builtIn = new Map<string, JsonObject>();

function knownOr(path: string, kinds: readonly Described[]): JsonObject {
  if (kinds.some(({ custom }) => custom !== undefined)) return documentOf(kinds);
  const known = builtIn.get(path) ?? documentOf(kinds);
  builtIn.set(path, known);
  return known;
}

function documentOf(kinds: readonly Described[]): JsonObject {
  return {
    openapi: "3.0.0",
    info: INFO,
    paths: mergeAll(kinds.map((kind) => openApiPaths(described(kind)))),
    components: { schemas: schemasOf(kinds) },
  };
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

function described(kind: Described) {
  const { resource, verbs, custom } = kind;
  const patchTypes = custom === undefined ? [...JSON_PATCHES, STRATEGIC] : JSON_PATCHES;
  return { resource, verbs, patchTypes, ref: refOf(kind), listRef: refOf({ ...kind, resource: listOf(kind) }) };
}

/** The kind of its lists: `PodList`. */
function listOf({ resource, custom }: Described): Resource {
  return { ...resource, kind: custom?.listKind ?? `${resource.kind}List` };
}

function refOf({ resource, custom }: Pick<Described, "resource" | "custom">): string {
  const schema = custom === undefined ? builtInSchema(resource) : undefined;
  return `${REF_PREFIX}${schema === undefined ? customComponentName(resource) : componentName(schema)}`;
}

function schemasOf(kinds: readonly Described[]): JsonObject {
  const schemas: Record<string, JsonObject> = { ...SCALAR_COMPONENTS };
  for (const resource of SHARED) Object.assign(schemas, builtInComponents(resource, false));
  for (const kind of kinds) Object.assign(schemas, componentsOf(kind));
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What every document needs: the answer to a deletion, and the metadata of objects and of lists. */
const SHARED: readonly Resource[] = ["ConfigMapList", "Status"].map((kind) => {
  return { group: "", version: "v1", plural: "", kind, namespaced: true };
});

function componentsOf(kind: Described): Record<string, JsonObject> {
  if (kind.custom !== undefined) return customComponents(kind as Strategy);
  const list = kind.verbs.includes("list") ? builtInComponents(listOf(kind), true) : {};
  return { ...list, ...builtInComponents(kind.resource, true) };
}

/** The parts of a kind, and the kind itself unless only its parts are wanted. */
function builtInComponents(resource: Resource, withKind: boolean): Record<string, JsonObject> {
  const schema = builtInSchema(resource);
  if (schema === undefined) return {};
  const components: Record<string, JsonObject> = {};
  for (const [name, part] of partsOf(schema)) {
    const isKind = part === schema;
    const isOther = part.name?.startsWith("meta.") === true;
    if (!isKind && (withKind || isOther)) components[name] = componentOf(part);
    else if (isKind && (withKind || isOther)) components[name] = { ...componentOf(part, true), ...kindOf(resource) };
  }
  return components;
}

function kindOf({ group, version, kind }: Resource): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}

function customComponents(kind: Strategy): Record<string, JsonObject> {
  const { resource } = kind;
  const names = { objectMeta: `${REF_PREFIX}${OBJECT_META}`, listMeta: `${REF_PREFIX}${LIST_META}` };
  const list = listOf(kind);
  return {
    [customComponentName(resource)]: openApiSchemaOf(kind, names),
    [customComponentName(list)]: { ...openApiListOf(kind, { ...names, item: refOf(kind) }), ...kindOf(list) },
  };
}

function mergeAll(parts: readonly JsonObject[]): JsonObject {
  return Object.assign({}, ...parts) as JsonObject;
}
