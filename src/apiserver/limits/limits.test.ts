import { describe, expect, it } from "vitest";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { parseGoDuration } from "./go-duration.ts";

describe("too many at once", () => {
  it("are told when to come back, and administrators get in", async () => {
    const server = await startTestApiServer({ more: { limits: { mutating: 0, readOnly: 0 } } });
    const jane = server.issueClientCertificate({ user: "jane" });
    const refused = await callApi(server, { path: "/version", as: jane });
    expect(refused).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
      body: { reason: "TooManyRequests", message: "Too many requests, please try again later." },
    });
    expect((await callApi(server, { path: "/version" })).status).toBe(200);
    const { text } = await callApi(server, { path: "/metrics" });
    expect(text).toContain('apiserver_dropped_requests_total{request_kind="readOnly"} 1');
    await server.close();
  });
});

describe("a request that takes too long", () => {
  it("ends with 504", async () => {
    const server = await startTestApiServer();
    // The version does not exist yet, and nobody will make it.
    const path = "/api/v1/nodes?resourceVersion=99999&timeout=50ms";
    expect(await callApi(server, { path })).toMatchObject({ status: 504, body: { reason: "Timeout" } });
    expect((await callApi(server, { path: "/version?timeout=soon" })).status).toBe(400);
    await server.close();
  });
});

describe("a duration of Go", () => {
  it.each([
    ["10s", 10_000],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["0", 0],
    ["-3s", -3_000],
    ["", undefined],
    ["10", undefined],
    ["s", undefined],
    ["1s ", undefined],
    ["1x", undefined],
    [`${"1s".repeat(40)}`, undefined],
  ])("%j is %s ms", (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });
});
