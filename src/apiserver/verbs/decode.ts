// A JSON value -> an object of the kind that the URL names, with every field of the type its kind expects.

import { apiVersionOf, type KubeObject, type Resource } from "../../api/meta/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../entry/json.ts";
import { badRequest } from "../reply/status.ts";
import { type Shape, shapeProblem } from "../resources/shape.ts";

export interface Decodable {
  readonly resource: Resource;
  readonly shape: Shape;
}

export function decodeObject(value: Json | undefined, { resource, shape }: Decodable): KubeObject {
  const { kind, version } = resource;
  const refuse = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  if (!isJsonObject(value)) throw refuse("the body is not a JSON object");
  const object = withoutNulls(value) as JsonObject & Partial<KubeObject>;
  checkKind(object, resource);
  const problem = shapeProblem(shape, object, kind);
  if (problem !== undefined) throw refuse(problem);
  const { metadata = {} } = object;
  return { ...object, kind, apiVersion: apiVersionOf(resource), metadata } as unknown as KubeObject;
}

/** Left out, both are those of the endpoint. */
function checkKind(object: JsonObject, resource: Resource): void {
  const expected = apiVersionOf(resource);
  const { apiVersion = expected, kind = resource.kind } = object as { apiVersion?: Json; kind?: Json };
  if (apiVersion === expected && kind === resource.kind) return;
  const version = String(apiVersion).split("/").at(-1);
  const what = `${String(kind)} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}`;
  throw badRequest(`${what}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
}

/** Go reads null as "not set"; clients send `creationTimestamp: null` with every object. The depth was limited before. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}

/** The name and namespace of the URL win; an object that says otherwise was sent to the wrong place. */
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
