// The schemas of built-in kinds as components of an OpenAPI document: names and types of every field, how lists merge,
// what is required. Of descriptions only those of metadata are here: the Kubernetes documentation has the others.

import { type Resource, resourcePath } from "../../../api/meta/index.ts";
import type { JsonObject } from "../../../kernel/json/index.ts";
import { API_VERSION, KIND, LIST_METADATA, METADATA } from "../../resources/custom/index.ts";
import type { AnySchema, Field, ListSchema, Schema, StructSchema } from "../../schema/index.ts";

/** Where the parts of a kind are described. */
export const REF_PREFIX = "#/components/schemas/";

const PREFIXES: Readonly<Record<string, string>> = {
  meta: "io.k8s.apimachinery.pkg.apis.meta.v1",
  extensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
};

/** `core.NodeSpec` of the tables -> the name that documents use. */
export function componentName(schema: { readonly name: string }): string {
  const [packageName = "", name] = schema.name.split(".");
  if (name === undefined) return `io.k8s.apimachinery.pkg.runtime.${packageName}`;
  return `${PREFIXES[packageName] ?? `io.k8s.api.${packageName}.v1`}.${name}`;
}

export const OBJECT_META = `${PREFIXES["meta"]}.ObjectMeta`;
export const LIST_META = `${PREFIXES["meta"]}.ListMeta`;
export const STATUS = `${PREFIXES["meta"]}.Status`;
const TIME = `${PREFIXES["meta"]}.Time`;
const MICRO_TIME = `${PREFIXES["meta"]}.MicroTime`;
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

/** Single values that have a component of their own in documents. */
export const SCALAR_COMPONENTS: Readonly<Record<string, JsonObject>> = {
  [TIME]: { type: "string", format: "date-time" },
  [MICRO_TIME]: { type: "string", format: "date-time" },
  [QUANTITY]: { oneOf: [{ type: "string" }, { type: "number" }] },
  [INT_OR_STRING]: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
};

const SCALARS: Readonly<Record<string, JsonObject | string>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer", format: "int32" },
  long: { type: "integer", format: "int64" },
  number: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  duration: { type: "string" },
  time: TIME,
  microtime: MICRO_TIME,
  quantity: QUANTITY,
  "int-or-string": INT_OR_STRING,
};

/** All named parts of a kind, itself included. */
export function partsOf(root: StructSchema): ReadonlyMap<string, StructSchema | AnySchema> {
  const found = new Map<string, StructSchema | AnySchema>();
  const pending: Schema[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.kind === "list") pending.push(next.item);
    else if (next.kind === "map") pending.push(next.value);
    else if (next.kind === "any" && next.name !== undefined) found.set(componentName({ name: next.name }), next);
    else if (next.kind === "struct" && !found.has(componentName(next))) {
      found.set(componentName(next), next);
      pending.push(...[...next.fields().values()].map(({ schema }) => schema));
    }
  }
  return found;
}

export function componentOf(schema: StructSchema | AnySchema, isKind = false): JsonObject {
  if (schema.kind === "any") return schema.name?.startsWith("extensions.") === true ? {} : { type: "object" };
  const required = requiredFields(schema);
  const properties = [...schema.fields()].map(([name, field]) => {
    const own = describeField(schema.name, name, field.schema);
    const description = own ?? (isKind ? describeTypeField(name) : undefined);
    return [name, { ...(description === undefined ? {} : { description }), ...propertyOf(field) }] as const;
  });
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(schema.isAtomic ? { "x-kubernetes-map-type": "atomic" } : {}),
  };
}

/** Those that are always written come first. */
function requiredFields(schema: StructSchema): readonly string[] {
  const required = [...schema.fields()].filter(([, field]) => field.isRequired);
  const isWritten = ([, field]: readonly [string, Field]) => !field.omitsEmpty;
  const isOther = ([, field]: readonly [string, Field]) => field.omitsEmpty;
  return [...required.filter(isWritten), ...required.filter(isOther)].map(([name]) => name);
}

function propertyOf({ schema, retainsKeys }: Field): JsonObject {
  const value = typeOf(schema);
  return schema.kind === "list" ? { ...value, ...mergeOf(schema, retainsKeys) } : value;
}

function typeOf(schema: Schema): JsonObject {
  const ref = (name: string) => ({ allOf: [{ $ref: `${REF_PREFIX}${name}` }] });
  switch (schema.kind) {
    case "any":
      return schema.name === undefined ? { type: "object" } : ref(componentName({ name: schema.name }));
    case "struct":
      return ref(componentName(schema));
    case "scalar": {
      const type = SCALARS[schema.type] ?? {};
      return typeof type === "string" ? ref(type) : type;
    }
    case "map": {
      const atomic = schema.isAtomic ? { "x-kubernetes-map-type": "atomic" } : {};
      return { type: "object", additionalProperties: typeOf(schema.value), ...atomic };
    }
    case "list":
      return { type: "array", items: typeOf(schema.item) };
  }
}

/** The rules by which client-side apply computes patches, and server-side apply owners. */
function mergeOf({ listType, keys, patchMerge }: ListSchema, retainsKeys: boolean): JsonObject {
  return {
    "x-kubernetes-list-type": listType,
    ...(listType === "map" ? { "x-kubernetes-list-map-keys": keys } : {}),
    ...(patchMerge?.key === undefined ? {} : { "x-kubernetes-patch-merge-key": patchMerge.key }),
    ...(patchMerge === undefined ? {} : { "x-kubernetes-patch-strategy": retainsKeys ? "merge,retainKeys" : "merge" }),
  };
}

/** `dev.countersign.v1alpha1.NodeIdentity`: the group reversed, as packages are named. */
export function customComponentName({ group, version, kind }: Resource): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

/** The path of one object, and that of its collection, as a document writes them. */
export function pathTemplates(resource: Resource): { readonly collection: string; readonly object: string } {
  const namespace = resource.namespaced ? { namespace: "NAMESPACE" } : {};
  const collection = resourcePath(resource, namespace).replace("NAMESPACE", "{namespace}");
  return { collection, object: `${collection}/{name}` };
}

// What the documents say about the fields that every object has. Everything else about a built-in kind is in the
// Kubernetes documentation.

const META_DESCRIPTIONS: Readonly<Record<string, string>> = {
  annotations: "Annotations are free text by key, for tools and people; nothing selects by them.",
  creationTimestamp: "CreationTimestamp is a timestamp that the server sets when it stores the object.",
  deletionGracePeriodSeconds: "How many seconds a deleted object stays so that whoever runs it can end it.",
  deletionTimestamp: "DeletionTimestamp is when the object is to go; only the server sets it.",
  finalizers: "Who still has to act before a deleted object may go.",
  generateName: "GenerateName is the beginning of a name that the server completes when no name is given.",
  generation: "A number that grows whenever what is wanted of the object changes.",
  labels: "Labels are keys and values by which objects are selected.",
  managedFields: "ManagedFields tells which client set which fields.",
  name: "Name must be unique within a namespace, or within the cluster for kinds without one.",
  namespace: "Namespace is where the object is, for kinds that live in one.",
  ownerReferences: "The objects that this one depends on: when all of them are gone, it is garbage.",
  resourceVersion: "Changes with every write. It is opaque: compare it for equality and send it back unchanged.",
  selfLink: "No longer set.",
  uid: "UID tells this object from every other one, also from those that had its name before.",
};

/** Undefined for what is described elsewhere. */
function describeField(schemaName: string, field: string, value: Schema): string | undefined {
  if (schemaName === "meta.ObjectMeta") return META_DESCRIPTIONS[field];
  if (field === "metadata" && value.kind === "struct") {
    if (value.name === "meta.ObjectMeta") return METADATA;
    return value.name === "meta.ListMeta" ? LIST_METADATA : undefined;
  }
  return undefined;
}

/** Only for the root of a kind: elsewhere these names mean something else. */
function describeTypeField(field: string): string | undefined {
  if (field === "apiVersion") return API_VERSION;
  return field === "kind" ? KIND : undefined;
}
