// What an API server refuses, as Faults. The reason of a Status body decides, its code only where the
// reason is unknown, as Kubernetes clients do it; the message is the server's own.

import { isStatus, type Status } from "../../api/meta/index.ts";
import { Fault, type FaultCode, type FaultDetail } from "../../kernel/outcome/index.ts";

const BY_REASON: Readonly<Record<string, FaultCode>> = {
  Unauthorized: "unauthorized",
  Forbidden: "forbidden",
  NotFound: "not-found",
  AlreadyExists: "already-exists",
  Conflict: "conflict",
  Gone: "expired",
  Expired: "expired",
  Invalid: "invalid",
  BadRequest: "malformed",
  MethodNotAllowed: "unsupported",
  NotAcceptable: "unsupported",
  UnsupportedMediaType: "unsupported",
  RequestEntityTooLarge: "limit-exceeded",
  TooManyRequests: "too-many-requests",
  ServerTimeout: "timeout",
  Timeout: "timeout",
  ServiceUnavailable: "unavailable",
  InternalError: "unavailable",
};

const BY_STATUS: Readonly<Record<number, FaultCode>> = {
  400: "malformed",
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  405: "unsupported",
  406: "unsupported",
  408: "timeout",
  409: "conflict",
  410: "expired",
  413: "limit-exceeded",
  415: "unsupported",
  422: "invalid",
  429: "too-many-requests",
  504: "timeout",
};

/** Enough of a proxy's error page to recognise it. */
const TEXT_BODY_MAX_CHARACTERS = 200;

/** A Status may hold a cause per field of a large object; the first ones tell the story. */
const MAX_CAUSES = 20;

interface FailedResponse {
  readonly method: string;
  readonly status: number;
  readonly body: string;
  /** The header `Retry-After`; HTTP allows a date there, API servers send seconds. */
  readonly retryAfter?: string | undefined;
}

export function faultFromResponse(response: FailedResponse): Fault {
  const status = parseStatus(response.body);
  if (status !== undefined) return faultFromStatus(status, response);
  const code = codeOf(response.status, response.method);
  const text = response.body.replace(/\s+/g, " ").trim().slice(0, TEXT_BODY_MAX_CHARACTERS);
  const message = `server answered ${response.status}${text === "" ? "" : `: ${text}`}`;
  return new Fault(code, message, { detail: { status: response.status, ...retryAfterDetail(response.retryAfter) } });
}

/** Also for ERROR events of a watch, which carry a Status and no response of their own. */
export function faultFromStatus(status: Status, response?: FailedResponse): Fault {
  const httpStatus = status.code ?? response?.status ?? 500;
  const code = BY_REASON[status.reason ?? ""] ?? codeOf(httpStatus, response?.method ?? "GET");
  const message = status.message ?? `server answered ${httpStatus} ${status.reason ?? "without a reason"}`;
  const seconds = status.details?.retryAfterSeconds;
  const causes = (status.details?.causes ?? []).slice(0, MAX_CAUSES);
  const detail: FaultDetail = {
    status: httpStatus,
    ...(status.reason === undefined ? {} : { reason: status.reason }),
    ...(causes.length === 0
      ? {}
      : { causes: causes.map(({ reason, field }) => [reason, field].filter(Boolean).join(" ")) }),
    ...retryAfterDetail(seconds === undefined ? response?.retryAfter : String(seconds)),
  };
  return new Fault(code, message, { detail });
}

/** How long the server asked to be left alone. */
export function retryAfterMs(fault: Fault): number | undefined {
  const value = fault.detail["retryAfterMs"];
  return typeof value === "number" ? value : undefined;
}

/** The server has not yet seen the resourceVersion that was asked for: it lags behind the one that named it. */
export function isTooLargeResourceVersion(fault: Fault): boolean {
  const causes = fault.detail["causes"];
  return Array.isArray(causes) && causes.includes("ResourceVersionTooLarge");
}

function codeOf(status: number, method: string): FaultCode {
  if (status === 409 && method === "POST") return "already-exists";
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return "unavailable";
  // A redirect is not followed: it could carry the credentials to another host.
  return status >= 400 ? "invalid" : "unsupported";
}

function retryAfterDetail(header: string | undefined): { retryAfterMs?: number } {
  if (header === undefined || !/^\d{1,6}$/.test(header) || Number(header) === 0) return {};
  return { retryAfterMs: Number(header) * 1_000 };
}

function parseStatus(body: string): Status | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined; // a proxy's page; the HTTP status speaks for it
  }
  return isStatus(value) ? value : undefined;
}
