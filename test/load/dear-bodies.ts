// Requests that cost the server as much as they can, described by a few numbers and words, so that a search can change
// them one by one and a test can keep what was found without keeping megabytes.

import type { KubeObject } from "../../src/api/meta/index.ts";
import { encodeProtobuf, findMessage } from "../../src/apiserver/encoding/index.ts";
import type { Sent } from "../fakes/api-client.ts";

export const WAYS = ["create", "update", "merge", "strategic", "json-patch", "apply"] as const;
export const FORMATS = ["json", "yaml", "protobuf"] as const;
export const OPERATIONS = ["move", "add", "replace", "remove", "copy", "test"] as const;
export const KINDS = [
  "ConfigMap",
  "Node",
  "Pod",
  "Service",
  "ClusterRole",
  "Widget",
  "CustomResourceDefinition",
] as const;

export interface Gene {
  readonly way: (typeof WAYS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly kind: (typeof KINDS)[number];
  /** Which of the kind's large fields is filled: an index into `PLACES`. */
  readonly place: number;
  readonly count: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
  /** Values that no rule lets pass. */
  readonly isBad: boolean;
  /** All keys are the same one. */
  readonly isSame: boolean;
  /** How much of the same is stored before. */
  readonly live: number;
  readonly operation: (typeof OPERATIONS)[number];
}

/** From which every other request is made by changing some of it. */
export const PLAIN: Gene = {
  way: "create",
  format: "json",
  kind: "ConfigMap",
  place: 0,
  count: 9_000,
  keyBytes: 1,
  valueBytes: 1,
  isBad: false,
  isSame: false,
  live: 0,
  operation: "move",
};

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Of what is sent; the texts here are ASCII. */
export const lengthOf = ({ body }: Sent) => (body as string | Uint8Array).length;

type Tree = Record<string, unknown>;
type Fill = (gene: Gene, salt: string) => Tree;

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const keyText = (gene: Gene, n: number, salt: string) =>
  `${gene.isBad ? "-" : "k"}${gene.isSame ? "" : `${salt}${n}`}`.padEnd(gene.keyBytes, "x");
const valueText = (gene: Gene) => (gene.isBad ? "-" : "v").padEnd(gene.valueBytes, "x");
const mapOf = (gene: Gene, salt: string) =>
  Object.fromEntries(many(gene.count, (n) => [keyText(gene, n, salt), valueText(gene)]));
const listOf = (gene: Gene, salt: string, make: (key: string, value: string) => unknown) =>
  many(gene.count, (n) => make(keyText(gene, n, salt), valueText(gene)));

const META: readonly Fill[] = [
  (gene, salt) => ({ metadata: { labels: mapOf(gene, salt) } }),
  (gene, salt) => ({ metadata: { annotations: mapOf(gene, salt) } }),
  (gene, salt) => ({ metadata: { finalizers: listOf(gene, salt, (key) => `a/${key}`) } }),
  (gene, salt) => ({
    metadata: { ownerReferences: listOf(gene, salt, (key) => ({ apiVersion: "v1", kind: "A", name: "a", uid: key })) },
  }),
  (gene, salt) => ({ [salt]: listOf(gene, salt, (key, value) => ({ [key]: value })) }),
  (gene, salt) => mapOf(gene, salt),
  (gene, salt) => ({
    metadata: {
      managedFields: [
        {
          manager: "m",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:data": Object.fromEntries(listOf(gene, salt, (key) => [`f:${key}`, {}]) as [string, object][]),
          },
        },
      ],
    },
  }),
];

/** By kind, the large fields beside those of metadata. */
const PLACES: Readonly<Record<Gene["kind"], readonly Fill[]>> = {
  ConfigMap: [(gene, salt) => ({ data: mapOf(gene, salt) })],
  Node: [
    (gene, salt) => ({ status: { conditions: listOf(gene, salt, (type, status) => ({ type, status })) } }),
    (gene, salt) => ({ spec: { taints: listOf(gene, salt, (key) => ({ key, effect: "NoSchedule" })) } }),
    (gene, salt) => ({ status: { capacity: Object.fromEntries(listOf(gene, salt, (key) => [key, "1"]) as []) } }),
  ],
  Pod: [
    (gene, salt) => ({ spec: { containers: listOf(gene, salt, (name, image) => ({ name, image })) } }),
    (gene, salt) => ({
      spec: { containers: [{ name: "a", image: "a", env: listOf(gene, salt, (name, value) => ({ name, value })) }] },
    }),
    (gene, salt) => ({
      spec: {
        containers: [{ name: "a", image: "a" }],
        volumes: listOf(gene, salt, (name) => ({ name, emptyDir: {} })),
      },
    }),
  ],
  Service: [(gene) => ({ spec: { ports: many(gene.count, (n) => ({ name: `p${n}`, port: (n % 65_535) + 1 })) } })],
  ClusterRole: [
    (gene, salt) => ({ rules: listOf(gene, salt, (name) => ({ verbs: ["get"], apiGroups: [""], resources: [name] })) }),
  ],
  Widget: [
    (gene, salt) => ({ spec: { items: listOf(gene, salt, (name, value) => ({ name, value })) } }),
    (gene, salt) => ({ spec: { set: listOf(gene, salt, (key) => key) } }),
    (gene, salt) => ({ spec: { map: mapOf(gene, salt) } }),
    (gene, salt) => ({ spec: { any: listOf(gene, salt, (key, value) => [key, value]) } }),
  ],
  CustomResourceDefinition: [
    (gene, salt) => definition(Object.fromEntries(listOf(gene, salt, (key) => [key, { type: "string" }]) as [])),
    (gene, salt) => definition({ a: { type: "string", enum: listOf(gene, salt, (key) => key) } }),
    (gene) => definition(nested(Math.min(gene.count, 45), Math.ceil(gene.count / 45))),
  ],
};

/** Objects in objects, each with some more fields beside the next. */
function nested(depth: number, width: number): Tree {
  const fields = Object.fromEntries(many(width, (n) => [`f${n}`, { type: "integer" }]));
  return depth === 0 ? fields : { ...fields, deeper: { type: "object", properties: nested(depth - 1, width) } };
}

function definition(properties: Tree, names: Tree = { plural: "gadgets", singular: "gadget", kind: "Gadget" }): Tree {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  return {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { ...names, listKind: `${names["kind"]}List` },
      versions,
    },
  };
}

const WIDGETS: Tree = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  ...definition(
    {
      items: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string", pattern: "^[a-z0-9]*$" }, value: { type: "string", maxLength: 64 } },
        },
      },
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      map: { type: "object", additionalProperties: { type: "string" } },
      any: { type: "array", items: { type: "array", items: { type: "string" } } },
    },
    { plural: "widgets", singular: "widget", kind: "Widget" },
  ),
};

const PATHS: Readonly<Record<Gene["kind"], readonly [apiVersion: string, path: string]>> = {
  ConfigMap: ["v1", "/api/v1/namespaces/default/configmaps"],
  Node: ["v1", "/api/v1/nodes"],
  Pod: ["v1", "/api/v1/namespaces/default/pods"],
  Service: ["v1", "/api/v1/namespaces/default/services"],
  ClusterRole: ["rbac.authorization.k8s.io/v1", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
  Widget: ["example.com/v1", "/apis/example.com/v1/namespaces/default/widgets"],
  CustomResourceDefinition: ["apiextensions.k8s.io/v1", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"],
};

export const DEFINE_WIDGETS: Sent = {
  method: "POST",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: JSON.stringify(WIDGETS),
  headers: { "content-type": "application/json" },
};

const nameOf = ({ kind }: Gene) => (kind === "CustomResourceDefinition" ? "gadgets.example.com" : "dear");

function objectOf(gene: Gene, salt: string): Tree {
  const places = [...PLACES[gene.kind], ...META];
  const filled = (places[gene.place % places.length] as Fill)(gene, salt) as { metadata?: Tree };
  const least = gene.kind === "Pod" ? { spec: { containers: [{ name: "a", image: "a" }] } } : {};
  const [apiVersion] = PATHS[gene.kind];
  return { apiVersion, kind: gene.kind, ...least, ...filled, metadata: { name: nameOf(gene), ...filled.metadata } };
}

/** What must be there before, and the request itself. */
export interface DearRequest {
  readonly before: readonly Sent[];
  readonly dear: Sent;
  readonly after: readonly Sent[];
}

export function requestOf(gene: Gene): DearRequest {
  const [, path] = PATHS[gene.kind];
  const place = `${path}/${nameOf(gene)}`;
  const isNew = gene.way === "create" || (gene.way === "apply" && gene.live === 0);
  const live = objectOf({ ...gene, count: gene.live, isBad: false, isSame: false }, "a");
  const first = { method: "POST", path, body: JSON.stringify(live), headers: { "content-type": "application/json" } };
  return {
    before: isNew ? [] : [first],
    dear: dearOf(gene, { path, place }),
    after: [
      { method: "PATCH", path: place, body: { metadata: { finalizers: null } }, headers: { "content-type": MERGE } },
      { method: "DELETE", path: `${place}?gracePeriodSeconds=0` },
    ],
  };
}

const MERGE = "application/merge-patch+json";

const TYPES: Readonly<Record<Gene["way"], string>> = {
  create: "application/json",
  update: "application/json",
  merge: MERGE,
  strategic: "application/strategic-merge-patch+json",
  "json-patch": "application/json-patch+json",
  apply: "application/apply-patch+yaml",
};

function dearOf(gene: Gene, { path, place }: { path: string; place: string }): Sent {
  const { body, type } = bodyOf(gene);
  const headers = { "content-type": type };
  if (gene.way === "create") return { method: "POST", path, body, headers };
  if (gene.way === "update") return { method: "PUT", path: place, body, headers };
  const query = gene.way === "apply" ? "?fieldManager=m&force=true" : "";
  return { method: "PATCH", path: `${place}${query}`, body, headers };
}

function bodyOf(gene: Gene): { readonly body: string | Uint8Array; readonly type: string } {
  const isWhole = gene.way === "create" || gene.way === "update";
  const value = gene.way === "json-patch" ? operationsOf(gene) : objectOf(gene, "b");
  if (gene.format === "protobuf" && isWhole) {
    const [apiVersion] = PATHS[gene.kind];
    const message = findMessage({ apiVersion, kind: gene.kind });
    // A custom resource has no such form.
    if (message !== undefined)
      return { body: encodeProtobuf(value as unknown as KubeObject), type: "application/vnd.kubernetes.protobuf" };
  }
  if (gene.format === "yaml" && (isWhole || gene.way === "apply"))
    return { body: yamlOf(value, ""), type: isWhole ? "application/yaml" : TYPES[gene.way] };
  return { body: JSON.stringify(value), type: TYPES[gene.way] };
}

/** On the first list or map of the stored object. */
function operationsOf(gene: Gene): readonly Tree[] {
  const live = objectOf({ ...gene, count: gene.live, isBad: false, isSame: false }, "a");
  const at = pathOfLargest(live);
  const isList = at.isList;
  return many(Math.min(gene.count, 10_000), (n) => {
    const own = isList ? `${at.path}/0` : `${at.path}/${keyText({ ...gene, isBad: false, isSame: false }, n, "a")}`;
    const next = isList ? `${at.path}/${n % 2 === 0 ? "-" : "0"}` : `${at.path}/z${n}`;
    const value = valueText(gene);
    const from = own;
    switch (gene.operation) {
      case "move":
      case "copy":
        return { op: gene.operation, from, path: next };
      case "add":
        return { op: "add", path: next, value };
      case "remove":
        return { op: "remove", path: own };
      default:
        return { op: gene.operation, path: gene.isSame ? at.path : own, value };
    }
  });
}

function pathOfLargest(tree: unknown): { path: string; size: number; isList: boolean } {
  let best = { path: "", size: 0, isList: false };
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const size = Object.keys(value).length;
    if (size > best.size) best = { path, size, isList: Array.isArray(value) };
    for (const [key, inner] of Object.entries(value).slice(0, 50)) look(inner, `${path}/${key.replaceAll("/", "~1")}`);
  };
  look(tree, "");
  return best;
}

/** Block style, as people write it. */
function yamlOf(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return `${JSON.stringify(value)}\n`;
  const entries = Object.entries(value);
  if (entries.length === 0) return Array.isArray(value) ? "[]\n" : "{}\n";
  const isInline = (inner: unknown) => typeof inner !== "object" || inner === null || Object.keys(inner).length === 0;
  const lead = (key: string) => (Array.isArray(value) ? "-" : `${JSON.stringify(key)}:`);
  const lines = entries.map(([key, inner]) =>
    isInline(inner)
      ? `${indent}${lead(key)} ${yamlOf(inner, "")}`
      : `${indent}${lead(key)}\n${yamlOf(inner, `${indent}  `)}`,
  );
  return lines.join("");
}
