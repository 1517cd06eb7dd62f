import { describe, expect, it } from "vitest";
import { faultFromResponse, faultFromStatus, isTooLargeResourceVersion } from "./faults.ts";

function statusBody(fields: Record<string, unknown>): string {
  return JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...fields });
}

describe("a Status body", () => {
  const table: Record<string, [status: number, fields: Record<string, unknown>, code: string, retryable: boolean]> = {
    Unauthorized: [401, { reason: "Unauthorized" }, "unauthorized", false],
    Forbidden: [403, { reason: "Forbidden" }, "forbidden", false],
    NotFound: [404, { reason: "NotFound" }, "not-found", false],
    AlreadyExists: [409, { reason: "AlreadyExists" }, "already-exists", false],
    Conflict: [409, { reason: "Conflict" }, "conflict", true],
    Gone: [410, { reason: "Gone" }, "expired", true],
    Expired: [410, { reason: "Expired" }, "expired", true],
    Invalid: [422, { reason: "Invalid" }, "invalid", false],
    BadRequest: [400, { reason: "BadRequest" }, "malformed", false],
    MethodNotAllowed: [405, { reason: "MethodNotAllowed" }, "unsupported", false],
    NotAcceptable: [406, { reason: "NotAcceptable" }, "unsupported", false],
    UnsupportedMediaType: [415, { reason: "UnsupportedMediaType" }, "unsupported", false],
    RequestEntityTooLarge: [413, { reason: "RequestEntityTooLarge" }, "limit-exceeded", false],
    TooManyRequests: [429, { reason: "TooManyRequests" }, "too-many-requests", true],
    ServerTimeout: [500, { reason: "ServerTimeout" }, "timeout", true],
    Timeout: [504, { reason: "Timeout" }, "timeout", true],
    ServiceUnavailable: [503, { reason: "ServiceUnavailable" }, "unavailable", true],
    InternalError: [500, { reason: "InternalError" }, "unavailable", true],
    "whose reason contradicts its code is believed in the reason": [
      500,
      { reason: "NotFound", code: 404 },
      "not-found",
      false,
    ],
    "with an unknown reason speaks by its code": [409, { reason: "Teapot", code: 422 }, "invalid", false],
    "without reason and code speaks by the HTTP status": [403, {}, "forbidden", false],
  };
  for (const [sentence, [status, fields, code, retryable]] of Object.entries(table)) {
    it(sentence, () => {
      const fault = faultFromResponse({
        method: "GET",
        status,
        body: statusBody({ message: "the server's words", ...fields }),
      });
      expect(fault).toMatchObject({ code, retryable, message: "the server's words" });
    });
  }

  it("carries its reason, code, causes and the wait it asks for, and nothing else", () => {
    const causes = [
      { reason: "FieldValueInvalid", message: "secret text", field: "spec.x" },
      { reason: "ResourceVersionTooLarge" },
    ];
    const body = statusBody({ reason: "Timeout", code: 504, message: "m", details: { retryAfterSeconds: 2, causes } });
    const fault = faultFromResponse({ method: "GET", status: 504, body, retryAfter: "9" });
    expect(fault.detail).toEqual({
      status: 504,
      reason: "Timeout",
      causes: ["FieldValueInvalid spec.x", "ResourceVersionTooLarge"],
      retryAfterMs: 2_000,
    });
    expect(isTooLargeResourceVersion(fault)).toBe(true);
  });

  it("in an ERROR event has no HTTP status of its own", () => {
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
    expect(faultFromStatus({ ...status, code: 410, reason: "Expired", message: "too old" })).toMatchObject({
      code: "expired",
    });
    expect(faultFromStatus(status)).toMatchObject({
      code: "unavailable",
      message: "server answered 500 without a reason",
    });
  });
});

describe("a body that is no Status", () => {
  const table: Record<string, [method: string, status: number, code: string]> = {
    "409 to a POST means it exists": ["POST", 409, "already-exists"],
    "409 to a PUT means a conflict": ["PUT", 409, "conflict"],
    "a proxy's 502 is unavailable": ["GET", 502, "unavailable"],
    "a proxy's 504 is a timeout": ["GET", 504, "timeout"],
    "an unknown 4xx is invalid": ["GET", 418, "invalid"],
    "a redirect is unsupported": ["GET", 307, "unsupported"],
  };
  for (const [sentence, [method, status, code]] of Object.entries(table)) {
    it(sentence, () =>
      expect(faultFromResponse({ method, status, body: "" })).toMatchObject({ code, detail: { status } }),
    );
  }

  it("is quoted on one line and not at length", () => {
    const { message } = faultFromResponse({ method: "GET", status: 500, body: `a\n  b ${"x".repeat(10_000)}` });
    expect(message).toMatch(/^server answered 500: a b x+$/);
    expect(message.length).toBeLessThan(250);
  });

  it("may carry Retry-After in seconds; a date or nonsense is ignored", () => {
    const detailOf = (retryAfter: string) =>
      faultFromResponse({ method: "GET", status: 429, body: "", retryAfter }).detail;
    expect(detailOf("3")).toEqual({ status: 429, retryAfterMs: 3_000 });
    for (const ignored of ["0", "-1", "Wed, 21 Oct 2015 07:28:00 GMT", "99999999999"]) {
      expect(detailOf(ignored)).toEqual({ status: 429 });
    }
  });
});
