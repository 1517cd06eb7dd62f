// The body of a request: how it is written (media type), how long it may be, and the JSON value it holds. Objects come
// as JSON, YAML or protobuf; the last for the kinds that have messages. Patches have media types of their own.

import { apiVersionOf, type Resource } from "../../api/meta/index.ts";
import { type Json, parseJson } from "../../kernel/json/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type HttpRequest, headerValue } from "../../platform/http/index.ts";
import { findMessage, type KindName, parseProtobuf } from "../encoding/index.ts";
import { parseYamlInSteps } from "./yaml.ts";

/** The limit of kube-apiserver; clients and tests know it. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

type Parse = (bytes: Uint8Array, expected: KindName, pause: () => Promise<void>) => Json | Promise<Json>;

const PARSERS: Readonly<Record<string, Parse>> = {
  [JSON_TYPE]: parseJson,
  [YAML_TYPE]: (bytes, _expected, pause) => parseYamlInSteps(bytes, pause),
  [PROTOBUF_TYPE]: parseProtobuf,
};

/** A request whose expensive steps wait for their turn. */
export type BodySource = HttpRequest & { readonly pause?: () => Promise<void> };

/** A body of this size is parsed in some milliseconds, without a pause before it. */
const LIGHT_BYTES = 16 * 1024;

/** The media type without parameters, in lower case; empty when the header is absent. */
export function mediaTypeOf(request: HttpRequest): string {
  const [type = ""] = (headerValue(request.headers, "content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/**
 * The object that was sent; undefined for an empty body. The caller checks whether it is of the expected kind: a
 * protobuf body that does not name its kind is read as the expected one. Fault `unsupported` for any other media type.
 */
export async function readBody(request: BodySource, expected: Resource): Promise<Json | undefined> {
  const kind = { apiVersion: apiVersionOf(expected), kind: expected.kind };
  const accepted = Object.keys(PARSERS).filter((type) => type !== PROTOBUF_TYPE || findMessage(kind) !== undefined);
  const bytes = await readAccepted(request, accepted);
  const parse = PARSERS[mediaTypeOf(request) || JSON_TYPE];
  return bytes.length === 0 ? undefined : await parse?.(bytes, kind, async () => request.pause?.());
}

/** Undefined for an empty body. Fault `unsupported` when the media type is none of `accepted`. */
export async function readJsonBody(request: BodySource, accepted: readonly string[]): Promise<Json | undefined> {
  const bytes = await readAccepted(request, accepted);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

/** The configuration of an apply: YAML, or JSON, which is what clients send. */
export async function readYamlBody(request: BodySource): Promise<Json> {
  return parseYamlInSteps(await readBytes(request), async () => request.pause?.());
}

async function readAccepted(request: BodySource, accepted: readonly string[]): Promise<Uint8Array> {
  const type = mediaTypeOf(request) || JSON_TYPE;
  if (!accepted.includes(type)) throw unknownFormat(accepted);
  return readBytes(request);
}

async function readBytes(request: BodySource): Promise<Uint8Array> {
  const bytes = await request.readBody(MAX_BODY_BYTES);
  if (bytes.length > LIGHT_BYTES) await request.pause?.();
  return bytes;
}

function unknownFormat(accepted: readonly string[]): Fault {
  return new Fault(
    "unsupported",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    { detail: { of: "body" } },
  );
}
