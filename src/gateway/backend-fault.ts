// What went wrong on the way to the server behind, and what the client is told: 503 when nobody answers (try again soon), 504
// when somebody is too slow, 502 for everything else.

import type { Refusal } from "./answers.ts";

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

/** A connection that the other side closed while we were about to use it: nothing was answered, and a read may be repeated. */
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
