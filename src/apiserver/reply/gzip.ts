// Large answers are compressed for clients that accept it. Behaviour of
// k8s.io/apiserver/pkg/endpoints/handlers/responsewriters.

import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import { type HttpAnswer, type HttpHeaders, headerValue, isWhole } from "../../platform/http/index.ts";

const pack = promisify(gzip);

/** Below this size compressing costs more than sending; the limit of kube-apiserver. */
export const MIN_GZIP_BYTES = 128 * 1024;
/** The fastest: most of the gain for a fraction of the time. */
const LEVEL = 1;

/** A watch, which may be closed, is not compressed: every event must be sent at once. */
export async function compress(http: HttpAnswer, headers: HttpHeaders): Promise<HttpAnswer> {
  const { body, givenUp } = http;
  if (givenUp !== undefined) return http;
  if ((isWhole(body) && body.length <= MIN_GZIP_BYTES) || !takesGzip(headers)) return http;
  const vary = [http.headers["vary"] ?? [], "Accept-Encoding"].flat().join(", ");
  const packed = isWhole(body) ? await pack(body, { level: LEVEL }) : packStream(body);
  return { ...http, headers: { ...http.headers, "content-encoding": "gzip", vary }, body: packed };
}

function packStream(body: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  // Errors are thrown to the reader of the compressed stream.
  return pipeline(Readable.from(body), createGzip({ level: LEVEL }), () => undefined);
}

function takesGzip(headers: HttpHeaders): boolean {
  const clauses = (headerValue(headers, "accept-encoding") ?? "").toLowerCase().split(",");
  return clauses.some((clause) => /^\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?$/.test(clause));
}
