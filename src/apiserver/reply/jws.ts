// The signature of an answer to a caller that does not know this server yet: a detached JWS (RFC 7515 appendix F) over the
// exact bytes of the body, with the token that the caller's JWT named (seed 004, "JWS content signing"), bound to that JWT and to
// the path of cluster-info.

import { JWS_HEADER, MAX_SIGNED_BODY_BYTES, type ReplyKey, signDiscoveryAnswer } from "../../api/bootstrap/index.ts";
import { type HttpAnswer, isWhole } from "../../platform/http/index.ts";
import { forbiddenPath } from "../status/status.ts";

/** Fault `forbidden` for what cannot be signed: a stream, or a body over the limit. */
export function signAnswer(http: HttpAnswer, replyKey: ReplyKey): HttpAnswer {
  if (!isWhole(http.body)) throw forbiddenPath("a stream cannot be signed for a discovery JWT");
  if (Buffer.byteLength(http.body) > MAX_SIGNED_BODY_BYTES) {
    throw forbiddenPath(`an answer of more than ${MAX_SIGNED_BODY_BYTES} bytes is not signed for a discovery JWT`);
  }
  // Text is signed and sent as UTF-8: the listener counts and writes the same bytes.
  return { ...http, headers: { ...http.headers, [JWS_HEADER]: signDiscoveryAnswer(http.body, replyKey) } };
}
