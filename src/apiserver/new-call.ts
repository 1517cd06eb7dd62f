// A call before any stage has run: nothing is known about it, and nothing is allowed to it.

import type { UserInfo } from "../api/access/index.ts";
import type { HttpRequest } from "../platform/http/index.ts";
import type { Call, Reviews } from "./call.ts";
import { WHOLE } from "./entry/accept.ts";
import { NO_REQUEST_INFO } from "./entry/request-info.ts";
import { NO_QUERY } from "./entry/target.ts";

const UNKNOWN_USER: UserInfo = { username: "", groups: [] };

/** Nothing may be written before admission has run. */
const NO_REVIEWS: Reviews = {
  change: (attempt) => attempt,
  before: () => ({ kind: "Deny", rule: "admission", reason: "NotReviewed", message: "not reviewed" }),
  after: () => ({ kind: "Deny", rule: "admission", reason: "NotReviewed", message: "not reviewed" }),
};

interface Beginning {
  readonly receivedMs: number;
  readonly auditId: string;
}

export function newCall(request: HttpRequest, { receivedMs, auditId }: Beginning): Call {
  let body: Uint8Array | undefined;
  const { method, target, headers, peerCertificates, remoteAddress } = request;
  const call: Call = {
    request: {
      method,
      target,
      headers,
      peerCertificates,
      remoteAddress,
      get signal() {
        return request.signal;
      },
      pause: () => call.pause(),
      // The first stage that needs the body reads it; later stages get the same bytes.
      readBody: async (limit) => {
        body ??= await call.outside(() => request.readBody(limit, call.holdBytes));
        return body;
      },
    },
    receivedMs,
    auditId,
    sentBody: () => body,
    annotations: {},
    warnings: [],
    info: NO_REQUEST_INFO,
    query: NO_QUERY,
    caller: UNKNOWN_USER,
    user: UNKNOWN_USER,
    reviews: NO_REVIEWS,
    endpoint: undefined,
    accepted: WHOLE,
    outside: (wait) => wait(),
    holdBytes: () => undefined,
    pause: async () => undefined,
  };
  return call;
}
