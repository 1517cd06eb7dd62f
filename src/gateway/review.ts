// The TokenReview webhook: kube-apiserver, given --authentication-token-webhook-config-file, asks here whose token it
// was shown (v1 and v1beta1). Only discovery JWTs are known. The answer names a user without rights of its own: an API
// server keeps the answer for minutes and cannot be told which request it was for, so what a JWT opens there is up to
// RBAC alone.

import { judgeClientCertificate } from "../api/access/index.ts";
import { discoveryUser } from "../api/bootstrap/index.ts";
import { encodeUtf8, parseUtf8 } from "../kernel/bytes/index.ts";
import { Fault, isFault } from "../kernel/outcome/index.ts";
import type { Certificate } from "../kernel/x509/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "../platform/http/index.ts";
import { refusalAnswer } from "./answers.ts";
import { findDiscoveryKey } from "./gather.ts";
import type { Tokens } from "./tokens.ts";

/** A token of 16 KiB with a dozen audiences around it. */
const MAX_REVIEW_BYTES = 32_768;
const VERSIONS: ReadonlySet<unknown> = new Set(["authentication.k8s.io/v1", "authentication.k8s.io/v1beta1"]);

interface ReviewOptions {
  readonly clock: Clock;
  readonly tokens: Pick<Tokens, "find" | "clusterId">;
  /** Whose client certificates may ask. */
  readonly callers: () => readonly Certificate[];
}

export function createReviewHandler(options: ReviewOptions): HttpHandler {
  return async (request) => {
    const nowMs = options.clock.now();
    const caller = judgeClientCertificate({ ders: request.peerCertificates, roots: options.callers(), nowMs });
    if (caller.kind !== "user") return refuse(401, "");
    const path = request.target.split("?", 1)[0];
    if (path !== "/authenticate" || request.method !== "POST") {
      return refuse(403, "there is POST /authenticate, and nothing else");
    }
    return await answerReview(request, options, nowMs);
  };
}

async function answerReview(request: HttpRequest, options: ReviewOptions, nowMs: number): Promise<HttpAnswer> {
  let review: Review;
  try {
    review = parseReview(parseUtf8(await request.readBody(MAX_REVIEW_BYTES)));
  } catch (error) {
    if (isFault(error)) return refuse(400, error.message);
    throw error;
  }
  const key = findDiscoveryKey(review.token, options, nowMs);
  const status =
    key === undefined ? { authenticated: false } : { authenticated: true, user: discoveryUser(key.token.id) };
  const body = { apiVersion: review.apiVersion, kind: "TokenReview", metadata: {}, status };
  return { status: 200, headers: { "content-type": "application/json" }, body: encodeUtf8(JSON.stringify(body)) };
}

interface Review {
  readonly apiVersion: string;
  readonly token: string;
}

/** Fault `malformed` for whatever is no TokenReview with a token. */
export function parseReview(text: string): Review {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Fault("malformed", "the body must be JSON", { cause });
  }
  const { apiVersion, kind, spec } = (value ?? {}) as Readonly<Record<"apiVersion" | "kind" | "spec", unknown>>;
  const { token } = (typeof spec === "object" && spec !== null ? spec : {}) as { readonly token?: unknown };
  if (kind !== "TokenReview" || !VERSIONS.has(apiVersion) || typeof token !== "string") {
    throw new Fault("malformed", "the body must be a TokenReview of authentication.k8s.io/v1 or v1beta1 with a token");
  }
  return { apiVersion: String(apiVersion), token };
}

function refuse(status: number, message: string): HttpAnswer {
  const { headers, body } = refusalAnswer({ status, message });
  const named: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) named[(headers[at] ?? "").toLowerCase()] = headers[at + 1] ?? "";
  return { status, headers: named, body };
}
