// A document -> bytes in the agreed format, and one event of a watch as it is sent.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { type HttpAnswer, headerValue } from "../../platform/http/index.ts";
import type { Call } from "../call.ts";
import { encodeProtobuf, encodeProtobufEvent, findMessage, type KindName } from "../encoding/index.ts";
import { type Accepted, type Format, MEDIA_TYPES } from "../entry/accept.ts";
import { encodeYaml } from "./yaml.ts";

/** Watches are not offered in YAML. */
export const STREAM_TYPES: Readonly<Record<Format, string>> = {
  json: MEDIA_TYPES.json,
  yaml: MEDIA_TYPES.json,
  protobuf: `${MEDIA_TYPES.protobuf};stream=watch`,
};

/** A document without a protobuf form, such as discovery, is sent in JSON. */
export function encodeDocument(
  status: number,
  body: unknown,
  call: Call,
  accepted: Accepted = call.accepted,
): HttpAnswer {
  const format = accepted.format === "protobuf" && !isKind(body) ? "json" : accepted.format;
  const encoded = encodeBody(body, format, isIndented(call, accepted));
  return { status, headers: { "content-type": MEDIA_TYPES[format] }, body: encoded };
}

function encodeBody(body: unknown, format: Format, indented: boolean): string | Uint8Array {
  if (format === "protobuf" && isKind(body)) return encodeProtobuf(body);
  if (format === "yaml") return encodeYaml(body as Json);
  return `${indented ? JSON.stringify(body, null, 2) : JSON.stringify(body)}\n`;
}

/** Is it of a kind that has a protobuf form? */
function isKind(body: unknown): body is JsonObject & KindName {
  if (!isJsonObject(body)) return false;
  const { kind, apiVersion } = body as { kind?: unknown; apiVersion?: unknown };
  return typeof kind === "string" && typeof apiVersion === "string" && findMessage({ kind, apiVersion }) !== undefined;
}

/** Indented for people who read with curl or a browser. */
export function isIndented({ query, request, accepted }: Call, { isPretty }: Accepted = accepted): boolean {
  if (isPretty) return true;
  const asked = query.first("pretty");
  if (asked !== undefined) return asked === "true" || asked === "1";
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headerValue(request.headers, "user-agent") ?? "");
}

/**
 * One change goes to every watcher of its kind, and the object is the same for all of them: it is encoded for the first
 * one and remembered. Tables and bare metadata are made anew for each watcher.
 */
export function createEventEncoder(): (type: string, object: unknown, format: Format) => string | Uint8Array {
  let last: { type: string; object: unknown; format: Format; encoded: string | Uint8Array } | undefined;
  return (type, object, format) => {
    if (last === undefined || last.object !== object || last.type !== type || last.format !== format)
      last = { type, object, format, encoded: encodeEvent(type, object, format) };
    return last.encoded;
  };
}

function encodeEvent(type: string, object: unknown, format: Format): string | Uint8Array {
  if (format === "protobuf" && isKind(object)) return encodeProtobufEvent(type, object);
  return `${JSON.stringify({ type, object })}\n`;
}
