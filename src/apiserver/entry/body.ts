// The body of a request: how it is written (media type), how long it may be, and the JSON value it holds.

import { Fault } from "../../kernel/outcome/index.ts";
import { type HttpRequest, headerValue } from "../../platform/http/index.ts";
import { type Json, parseJson } from "./json.ts";

/** The limit of kube-apiserver; clients and tests know it. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export const JSON_TYPE = "application/json";

/** The media type without parameters, in lower case; empty when the header is absent. */
export function mediaTypeOf(request: HttpRequest): string {
  const [type = ""] = (headerValue(request.headers, "content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/** Undefined for an empty body. Fault `unsupported` when the media type is none of `accepted`. */
export async function readJsonBody(request: HttpRequest, accepted: readonly string[]): Promise<Json | undefined> {
  const type = mediaTypeOf(request) || JSON_TYPE;
  if (!accepted.includes(type)) throw unknownFormat(accepted);
  const bytes = await request.readBody(MAX_BODY_BYTES);
  return bytes.length === 0 ? undefined : parseJson(bytes);
}

export function unknownFormat(accepted: readonly string[]): Fault {
  return new Fault(
    "unsupported",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    { detail: { of: "body" } },
  );
}
