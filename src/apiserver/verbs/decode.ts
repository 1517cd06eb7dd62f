// A JSON value -> an object of the kind that the URL names, with every field of the type its kind expects. Fields that
// the kind does not have are dropped; fieldValidation says whether the client is warned or refused. The schema of a
// built-in kind (schema/) is the only description that a body is held to: it is made from the protobuf messages, so
// that an object that passes can also be written in protobuf.

import { apiVersionOf, type KubeObject, type Resource } from "../../api/meta/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { Call } from "../call.ts";
import { type KindName, typeProblem } from "../encoding/index.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../resources/custom/index.ts";
import { invalid } from "../resources/field-error.ts";
import { META_SHAPE, shapeProblem } from "../resources/shape.ts";
import type { CustomKind, TakenIn } from "../resources/strategy.ts";
import { builtInSchema } from "../schema/built-in.ts";
import { conform } from "../schema/conform.ts";
import { badRequest, invalidObject } from "../status/status.ts";
import { asWarnings, duplicateFields } from "./duplicate-fields.ts";
import type { FieldValidation } from "./write-options.ts";

interface Decodable {
  readonly resource: Resource;
  /** Of a kind that a stored definition makes: its schema names the fields. */
  readonly custom?: CustomKind;
}

interface Decoded {
  readonly object: KubeObject;
  /** Fields that the kind does not have, by their paths. */
  readonly unknown: readonly string[];
}

export function decodeObject(value: Json | undefined, decodable: Decodable): KubeObject {
  return decode(value, decodable).object;
}

/** The body of a create or update: unknown and repeated fields are handled as fieldValidation demands. */
export function decodeBody(value: Json | undefined, decodable: Decodable, as: { call: Call; how: FieldValidation }) {
  const { object, unknown } = decode(value, decodable);
  const { call, how } = as;
  if (how === "Ignore") return object;
  const complaints = [...duplicateFields(call), ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
  if (how === "Strict" && complaints.length > 0) {
    throw cannotHandle(decodable.resource, `strict decoding error: ${complaints.join(", ")}`);
  }
  call.warnings.push(...asWarnings(complaints));
  return object;
}

export function decode(value: Json | undefined, decodable: Decodable): Decoded {
  const { resource, custom } = decodable;
  if (!isJsonObject(value)) throw cannotHandle(resource, "the body is not a JSON object");
  if (custom !== undefined) return decodeCustom(value, { resource, custom });
  checkKind(value, resource);
  const schema = builtInSchema(resource);
  assert(schema !== undefined, "a built-in kind has a schema");
  const { object, unknown, problem } = conform(value, schema);
  const type = { kind: resource.kind, apiVersion: apiVersionOf(resource) };
  const wrong = problem ?? (hasOpenChoices(type) ? typeProblem(object, type) : undefined);
  if (wrong !== undefined) throw cannotHandle(resource, wrong);
  const { metadata = {} } = object as Partial<KubeObject>;
  return { object: { ...object, ...type, metadata } as unknown as KubeObject, unknown };
}

/**
 * The schema describes everything about a built-in kind but one: it leaves the choices inside a JSON schema open (a
 * schema or a list of them, a boolean, names). A definition is therefore also held to its protobuf message, which knows
 * them.
 */
function hasOpenChoices({ kind, apiVersion }: KindName): boolean {
  return kind === CUSTOM_RESOURCE_DEFINITIONS.kind && apiVersion === apiVersionOf(CUSTOM_RESOURCE_DEFINITIONS);
}

function cannotHandle({ kind, version }: Resource, why: string) {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

/** Absent, both are those of the endpoint. */
function checkKind(object: JsonObject, resource: Resource): void {
  const expected = apiVersionOf(resource);
  const apiVersion = object["apiVersion"] ?? expected;
  const kind = object["kind"] ?? resource.kind;
  if (apiVersion === expected && kind === resource.kind) return;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw cannotHandle(resource, "apiVersion and kind must be strings");
  }
  const version = apiVersion.split("/").at(-1);
  const what = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;
  throw badRequest(`${what}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
}

/** The name and namespace of the URL count; an object with others was sent to the wrong place. */
export function checkPlace(object: KubeObject, place: { name: string; namespace: string }): void {
  const { name = "", namespace = "" } = object.metadata;
  if (name !== "" && name !== place.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${place.name})`);
  }
  checkNamespace(namespace, place.namespace);
}

export function checkNamespace(sent: string, fromUrl: string): void {
  if (sent !== "" && sent !== fromUrl) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

// The body of a custom resource -> an object of the kind that the URL names. Unlike a built-in kind it must name its
// kind and version, and null in it may have a meaning.

interface CustomDecodable {
  readonly resource: Resource;
  readonly custom: CustomKind;
}

function decodeCustom(value: JsonObject, { resource, custom }: CustomDecodable): TakenIn {
  checkType(value, resource);
  const sent = isJsonObject(value["metadata"]) ? value["metadata"] : {};
  const isSaid = value["metadata"] !== undefined && value["metadata"] !== null;
  const object = { ...value, metadata: isSaid && !isJsonObject(value["metadata"]) ? value["metadata"] : said(sent) };
  const problem = shapeProblem({ metadata: META_SHAPE }, object, resource.kind);
  if (problem !== undefined) {
    const { kind, version } = resource;
    throw badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${problem}`);
  }
  return custom.takeIn(object as unknown as KubeObject);
}

/** In metadata null means absent: clients send `creationTimestamp: null` with every object. */
function said(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function checkType(value: JsonObject, resource: Resource): void {
  for (const [field, name] of [
    ["kind", "Kind"],
    ["apiVersion", "apiVersion"],
  ] as const) {
    if (!isText(value[field])) throw badRequest(`Object '${name}' is missing in the body of the request`);
  }
  const expected = apiVersionOf(resource);
  if (value["apiVersion"] !== expected) {
    const data = `the API version in the data (${String(value["apiVersion"])})`;
    throw badRequest(`${data} does not match the expected API version (${expected})`);
  }
  if (value["kind"] === resource.kind) return;
  const { metadata } = value;
  const name = isJsonObject(metadata) && isText(metadata["name"]) ? metadata["name"] : "";
  // The refusal names the kind that was sent.
  const kind = String(value["kind"]);
  throw invalidObject({ ...resource, kind }, name, [invalid("kind", kind, `must be ${resource.kind}`)]);
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "";
}
