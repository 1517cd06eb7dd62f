// Every Fault -> a Status. One of the three edges that translate fault codes; the record below does not compile when a
// new code is missing.

import { isStatus, type Status } from "../../api/meta/index.ts";
import { type Fault, type FaultCode, isFault } from "../../kernel/outcome/index.ts";
import { failure } from "./status.ts";

interface Translation {
  readonly code: number;
  readonly reason: string;
  /** False hides the message, which is about this server and not about the request. */
  readonly tell: boolean;
}

const INTERNAL: Translation = { code: 500, reason: "InternalError", tell: false };

const TRANSLATIONS: Readonly<Record<FaultCode, Translation>> = {
  malformed: { code: 400, reason: "BadRequest", tell: true },
  "limit-exceeded": { code: 413, reason: "RequestEntityTooLarge", tell: true },
  unsupported: { code: 415, reason: "UnsupportedMediaType", tell: true },
  untrusted: { code: 401, reason: "Unauthorized", tell: false },
  unauthorized: { code: 401, reason: "Unauthorized", tell: false },
  forbidden: { code: 403, reason: "Forbidden", tell: true },
  denied: { code: 403, reason: "Forbidden", tell: true },
  "not-found": { code: 404, reason: "NotFound", tell: true },
  "already-exists": { code: 409, reason: "AlreadyExists", tell: true },
  conflict: { code: 409, reason: "Conflict", tell: true },
  expired: { code: 410, reason: "Expired", tell: true },
  invalid: { code: 422, reason: "Invalid", tell: true },
  "too-many-requests": { code: 429, reason: "TooManyRequests", tell: true },
  timeout: { code: 504, reason: "Timeout", tell: true },
  unavailable: { code: 503, reason: "ServiceUnavailable", tell: true },
  aborted: { code: 503, reason: "ServiceUnavailable", tell: true },
  locked: { code: 503, reason: "ServiceUnavailable", tell: true },
  "failed-request": INTERNAL,
  "bad-config": INTERNAL,
  "io-failed": INTERNAL,
  internal: INTERNAL,
};

/** `unsupported` means three things: the body (415), the accepted answer (406), the verb (405). */
const UNSUPPORTED: Readonly<Record<string, Translation>> = {
  answer: { code: 406, reason: "NotAcceptable", tell: true },
  verb: { code: 405, reason: "MethodNotAllowed", tell: true },
};

export function statusOfError(error: unknown): Status {
  if (!isFault(error)) return said(INTERNAL, "");
  if (isStatus(error.cause)) return error.cause;
  return said(translationOf(error), error.message);
}

function translationOf(fault: Fault): Translation {
  const face = fault.code === "unsupported" ? UNSUPPORTED[String(fault.detail["of"])] : undefined;
  return face ?? TRANSLATIONS[fault.code];
}

function said(translation: Translation, message: string): Status {
  const { code, reason } = translation;
  if (translation.tell) return failure({ code, reason, message });
  return failure({ code, reason, message: code === 401 ? "Unauthorized" : "Internal error occurred" });
}
