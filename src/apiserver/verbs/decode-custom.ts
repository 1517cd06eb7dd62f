// The body of a custom resource -> an object of the kind that the URL names. Unlike a built-in kind it must say what it is,
// and null in it may mean something.

import { apiVersionOf, type KubeObject, type Resource } from "../../api/meta/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { invalid } from "../resources/field-error.ts";
import { META_SHAPE, shapeProblem } from "../resources/shape.ts";
import type { CustomKind, TakenIn } from "../resources/strategy.ts";
import { badRequest, invalidObject } from "../status/status.ts";

export interface CustomDecodable {
  readonly resource: Resource;
  readonly custom: CustomKind;
}

export function decodeCustom(value: JsonObject, { resource, custom }: CustomDecodable): TakenIn {
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

/** In metadata null is as good as nothing: clients send `creationTimestamp: null` with every object. */
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
