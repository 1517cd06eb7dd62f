// The outermost stage: whatever comes back, an answer or a failure, leaves as one HTTP answer with the same headers.

import type { Status } from "../../api/meta/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { HttpAnswer } from "../../platform/http/index.ts";
import type { Answer, Call, Next } from "../call.ts";
import { negotiateRefusal } from "../entry/accept.ts";
import { statusOfError } from "../status/fault-status.ts";
import { encodeAnswer } from "./encode.ts";
import { encodeDocument } from "./format.ts";
import { compress } from "./gzip.ts";
import { signAnswer } from "./jws.ts";
import { warningHeaders } from "./warnings.ts";

export interface ReplyParts {
  readonly clock: Clock;
  /** Told about every answered request; never about bodies or credentials. */
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
  /** Only when something broke that is not the client's fault. */
  readonly problem?: unknown;
}

export async function runReply(call: Call, next: Next, parts: ReplyParts): Promise<Answer> {
  let http: HttpAnswer;
  let problem: unknown;
  try {
    const answer = encodeAnswer(await next(), call, parts.clock.now);
    // What is signed is not packed: the signature is over the bytes as they are sent.
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
