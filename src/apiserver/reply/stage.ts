// The outermost stage: every answer and every failure becomes one HTTP answer with the same headers.

import { JWS_HEADER, MAX_SIGNED_BODY_BYTES, type ReplyKey, signDiscoveryAnswer } from "../../api/bootstrap/index.ts";
import type { Status } from "../../api/meta/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { type HttpAnswer, type HttpHeaders, isWhole } from "../../platform/http/index.ts";
import type { Answer, Call, Next } from "../call.ts";
import { negotiateRefusal } from "../entry/accept.ts";
import { statusOfError } from "../status/fault-status.ts";
import { forbiddenPath } from "../status/status.ts";
import { encodeAnswer } from "./encode.ts";
import { encodeDocument } from "./format.ts";
import { compress } from "./gzip.ts";

export interface ReplyParts {
  readonly clock: Clock;
  /** Called for every answered request; never gets bodies or credentials. */
  readonly log: (line: RequestLine) => void;
}

export interface RequestLine {
  readonly auditId: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  readonly user: string;
  readonly status: number;
  readonly durationMs: number;
  /** Only for failures of this server, not of the client. */
  readonly problem?: unknown;
}

export async function runReply(call: Call, next: Next, parts: ReplyParts): Promise<Answer> {
  let http: HttpAnswer;
  let problem: unknown;
  try {
    const answer = encodeAnswer(await next(), call, parts.clock.now);
    // A signed answer is not compressed: the signature is over the bytes as they are sent.
    http =
      call.replyKey === undefined ? await compress(answer, call.request.headers) : signAnswer(answer, call.replyKey);
  } catch (error) {
    const status = statusOfError(error);
    if ((status.code ?? 500) >= 500) problem = error;
    const refusal = failed(status, call);
    http = call.replyKey === undefined ? refusal : signAnswer(refusal, call.replyKey);
  }
  parts.log(lineOf(call, { status: http.status, nowMs: parts.clock.now(), problem }));
  return { kind: "sent", http: withHeaders(http, call) };
}

function failed(status: Status, call: Call): HttpAnswer {
  const http = encodeDocument(status.code ?? 500, status, call, negotiateRefusal(call.request.headers));
  const retryAfter = status.details?.retryAfterSeconds;
  const retry = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { ...http, headers: { ...http.headers, "x-content-type-options": "nosniff", ...retry } };
}

function withHeaders(http: HttpAnswer, call: Call): HttpAnswer {
  const shared = { "audit-id": call.auditId, "cache-control": "no-cache, private" };
  return { ...http, headers: { ...shared, ...warningHeaders(call.warnings), ...http.headers } };
}

function lineOf(call: Call, end: { status: number; nowMs: number; problem: unknown }) {
  return {
    auditId: call.auditId,
    method: call.request.method,
    path: call.info.path,
    verb: call.info.verb,
    user: call.user.username,
    status: end.status,
    durationMs: end.nowMs - call.receivedMs,
    ...(end.problem === undefined ? {} : { problem: end.problem }),
  };
}

// The signature of an answer to a caller that cannot verify this server yet: a detached JWS (RFC 7515 appendix F) over
// the exact bytes of the body, made with the token that the caller's JWT named ("JWS content signing" of the super
// simple discovery API), and bound to that JWT and to the path of cluster-info.

/** Fault `forbidden` for an answer that cannot be signed: a stream, or a body over the limit. */
function signAnswer(http: HttpAnswer, replyKey: ReplyKey): HttpAnswer {
  if (!isWhole(http.body)) throw forbiddenPath("a stream cannot be signed for a discovery JWT");
  if (Buffer.byteLength(http.body) > MAX_SIGNED_BODY_BYTES) {
    throw forbiddenPath(`an answer of more than ${MAX_SIGNED_BODY_BYTES} bytes is not signed for a discovery JWT`);
  }
  // Text is signed and sent as UTF-8; the listener counts and writes the same bytes.
  return { ...http, headers: { ...http.headers, [JWS_HEADER]: signDiscoveryAnswer(http.body, replyKey) } };
}

// Warning headers: `299 - "<text>"`, one for each warning. Limits and order of
// k8s.io/apiserver/pkg/endpoints/filters/warning.go.

/** Beyond the first limit every warning is cut to the second; what still exceeds the first is dropped. */
const MAX_TOTAL_CHARACTERS = 4_096;
const MAX_CUT_CHARACTERS = 256;

function warningHeaders(warnings: readonly string[]): HttpHeaders {
  const texts = [...new Set(warnings.map(printable))].filter((text) => text !== "");
  if (texts.length === 0) return {};
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const shown = total <= MAX_TOTAL_CHARACTERS ? texts : cut(texts);
  return { warning: shown.map((text) => `299 - "${text.replace(/[\\"]/g, "\\$&")}"`) };
}

function cut(texts: readonly string[]): readonly string[] {
  let left = MAX_TOTAL_CHARACTERS;
  const kept: string[] = [];
  for (const text of texts) {
    const short = text.slice(0, MAX_CUT_CHARACTERS);
    left -= short.length;
    if (left < 0) break;
    kept.push(short);
  }
  return kept;
}

/**
 * A warning repeats what the client sent, and a header holds neither control characters nor anything beyond Latin-1.
 */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
