// The gateway's own answers, in the form in which Kubernetes refuses: a Status, so that every client can print it.

import type { ServerResponse } from "node:http";
import { JWS_HEADER, type ReplyKey, signDiscoveryAnswer } from "../api/bootstrap/index.ts";
import type { Status } from "../api/meta/index.ts";
import { encodeUtf8 } from "../kernel/bytes/index.ts";

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** For whom it is signed; undefined: it is not signed. */
  readonly replyKey?: ReplyKey | undefined;
}

/** 502 has no reason of its own in Kubernetes; its clients take every other 5xx for this one. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  502: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** After this long a server that was not there may be. */
const RETRY_AFTER_SECONDS = 1;

export interface OwnAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export function refusalAnswer({ status, message, replyKey }: Refusal): OwnAnswer {
  const body = encodeUtf8(`${JSON.stringify(statusOf(status, message))}\n`);
  const headers = [
    ...["Content-Type", "application/json", "Content-Length", String(body.length)],
    ...["Cache-Control", "no-cache, private", "X-Content-Type-Options", "nosniff"],
    ...(status === 503 ? ["Retry-After", String(RETRY_AFTER_SECONDS)] : []),
    ...(replyKey === undefined ? [] : [JWS_HEADER, signDiscoveryAnswer(body, replyKey)]),
  ];
  return { status, headers, body };
}

export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = refusalAnswer(refusal);
  response.writeHead(status, headers as string[]);
  response.end(body);
}

/** The reason of a refused credential is for the log: its sender must not learn it. */
function statusOf(code: number, message: string): Status {
  const reason = REASONS[code] ?? "InternalError";
  const said = code === 401 ? reason : code === 403 ? `forbidden: ${message}` : message;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: said, reason, code };
}

// What went wrong on the way to the server behind, and what the client is told: 503 without an answer (try again soon),
// 504 for one that is too slow, 502 for everything else.

const ABSENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
]);
const SLOW: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "timeout"]);

/**
 * A connection that the other side closed while we were about to use it: nothing was answered, and a read may be
 * repeated.
 */
const CUT: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

export function codeOf(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "unknown";
}

export function isCut(error: Error): boolean {
  return CUT.has(codeOf(error));
}

export function refusalOf(error: Error): Refusal {
  const code = codeOf(error);
  if (ABSENT.has(code)) return { status: 503, message: "the API server behind this gateway does not answer" };
  if (SLOW.has(code)) return { status: 504, message: "the API server behind this gateway did not answer in time" };
  return { status: 502, message: "the API server behind this gateway broke off or cannot be verified" };
}
