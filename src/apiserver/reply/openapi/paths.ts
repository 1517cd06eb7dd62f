// The paths of an OpenAPI document: the operations of a kind. kubectl looks here for the kind of a resource, and for
// the parameter fieldValidation of its patch, which shows that the server checks fields itself.

import type { Resource } from "../../../api/meta/index.ts";
import type { JsonObject } from "../../../kernel/json/index.ts";
import { pathTemplates, REF_PREFIX, STATUS } from "./components.ts";

interface DescribedKind {
  readonly resource: Resource;
  readonly verbs: readonly string[];
  /** Of the schema, in the document. */
  readonly ref: string;
  readonly listRef: string;
  readonly patchTypes: readonly string[];
}

interface Operation {
  readonly verb: string;
  readonly method: string;
  readonly action: string;
  readonly on: "collection" | "object";
  readonly parameters: readonly string[];
}

const WRITE = ["dryRun", "fieldManager", "fieldValidation"] as const;

const OPERATIONS: readonly Operation[] = [
  { verb: "list", method: "get", action: "list", on: "collection", parameters: listParameters() },
  { verb: "create", method: "post", action: "post", on: "collection", parameters: WRITE },
  {
    verb: "deletecollection",
    method: "delete",
    action: "deletecollection",
    on: "collection",
    parameters: [...listParameters(), "dryRun", "gracePeriodSeconds", "propagationPolicy"],
  },
  { verb: "get", method: "get", action: "get", on: "object", parameters: [] },
  { verb: "update", method: "put", action: "put", on: "object", parameters: WRITE },
  { verb: "patch", method: "patch", action: "patch", on: "object", parameters: [...WRITE, "force"] },
  {
    verb: "delete",
    method: "delete",
    action: "delete",
    on: "object",
    parameters: ["dryRun", "gracePeriodSeconds", "propagationPolicy"],
  },
];

function listParameters(): readonly string[] {
  return ["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "resourceVersionMatch"];
}

export function openApiPaths(kind: DescribedKind): JsonObject {
  const templates = pathTemplates(kind.resource);
  const paths: Record<string, JsonObject> = {};
  for (const on of ["collection", "object"] as const) {
    const operations = OPERATIONS.filter((one) => one.on === on && kind.verbs.includes(one.verb));
    if (operations.length === 0) continue;
    const methods = operations.map((one) => [one.method, operationOf(one, kind)] as const);
    const parameters = pathParameters(kind.resource, on);
    paths[templates[on]] = { ...Object.fromEntries(methods), ...(parameters.length === 0 ? {} : { parameters }) };
  }
  return paths;
}

function pathParameters({ namespaced }: Resource, on: "collection" | "object"): readonly JsonObject[] {
  const names = [...(on === "object" ? ["name"] : []), ...(namespaced ? ["namespace"] : [])];
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function operationOf({ verb, action, parameters }: Operation, described: DescribedKind): JsonObject {
  const { resource, ref, patchTypes } = described;
  const { group, version, kind } = resource;
  const content = { "application/json": { schema: { $ref: answerOf(verb, described) } } };
  const body = verb === "create" || verb === "update" ? { "*/*": { schema: { $ref: ref } } } : undefined;
  const patches = Object.fromEntries(patchTypes.map((type) => [type, { schema: { type: "object" } }]));
  const sent = verb === "patch" ? patches : body;
  return {
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(queryParameter) }),
    ...(sent === undefined ? {} : { requestBody: { content: sent, required: true } }),
    responses: { "200": { description: "OK", content }, "401": { description: "Unauthorized" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, version, kind },
  };
}

function answerOf(verb: string, { ref, listRef }: DescribedKind): string {
  if (verb === "list") return listRef;
  return verb === "delete" || verb === "deletecollection" ? `${REF_PREFIX}${STATUS}` : ref;
}

const TYPES: Readonly<Record<string, string>> = { limit: "integer", gracePeriodSeconds: "integer", force: "boolean" };

function queryParameter(name: string): JsonObject {
  return { name, in: "query", schema: { type: TYPES[name] ?? "string", uniqueItems: true } };
}
