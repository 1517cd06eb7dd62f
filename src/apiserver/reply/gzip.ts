// Large answers are packed for clients that take it. Behaviour of k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type HttpAnswer, type HttpHeaders, headerValue } from "../../platform/http/index.ts";

const pack = promisify(gzip);

/** Below it packing costs more than sending; kube-apiserver has the same. */
export const MIN_GZIP_BYTES = 128 * 1024;
/** The fastest: most of the gain for a fraction of the time. */
const LEVEL = 1;

/** Streams stay as they are: every event must leave at once. */
export async function compress(http: HttpAnswer, headers: HttpHeaders): Promise<HttpAnswer> {
  const { body } = http;
  if (!(body instanceof Uint8Array) || body.length <= MIN_GZIP_BYTES || !takesGzip(headers)) return http;
  const vary = [http.headers["vary"] ?? [], "Accept-Encoding"].flat().join(", ");
  const packed = await pack(body, { level: LEVEL });
  return { ...http, headers: { ...http.headers, "content-encoding": "gzip", vary }, body: packed };
}

function takesGzip(headers: HttpHeaders): boolean {
  const clauses = (headerValue(headers, "accept-encoding") ?? "").toLowerCase().split(",");
  return clauses.some((clause) => /^\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?$/.test(clause));
}
