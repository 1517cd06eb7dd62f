import { describe, expect, it } from "vitest";
import { callApi, type Sent, watchApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
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

/** Opens a watch and waits for its first event, so that it holds its place. */
async function openWatch(server: TestApiServer, as: Sent["as"]) {
  const events = watchApi(server, { path: "/api/v1/namespaces?watch=1", ...(as === undefined ? {} : { as }) });
  expect((await events.next()).value).toMatchObject({ type: "ADDED" });
  return events;
}

describe("too many watches", () => {
  it("of one user are refused while others still may, and an ended one makes room", async () => {
    const server = await startTestApiServer({ more: { limits: { watches: 2, watchesPerUser: 1 } } });
    const reader = (user: string) => server.issueClientCertificate({ user, groups: ["readers"] });
    const [jane, joe, ann] = [reader("jane"), reader("joe"), reader("ann")];
    await allowReading(server);
    const path = "/api/v1/namespaces?watch=1";
    const first = await openWatch(server, jane);
    expect(await callApi(server, { path, as: jane })).toMatchObject({
      status: 429,
      headers: { "retry-after": "30" },
      body: { message: "Too many open watches of this user, please close some or try again later." },
    });
    const second = await openWatch(server, joe);
    expect(await callApi(server, { path, as: ann })).toMatchObject({
      status: 429,
      body: { message: "Too many open watches, please try again later." },
    });
    await (await openWatch(server, undefined)).return(undefined);
    await first.return(undefined);
    // The server hears of the closed connection a moment later.
    await expect
      .poll(async () => (await callApi(server, { path: `${path}&timeoutSeconds=1`, as: ann })).status)
      .toBe(200);
    await second.return(undefined);
    await server.close();
  });

  it("that were refused or not allowed hold no place", async () => {
    const server = await startTestApiServer({ more: { limits: { watches: 1 } } });
    const jane = server.issueClientCertificate({ user: "jane", groups: ["readers"] });
    for (let n = 0; n < 3; n++) {
      expect((await callApi(server, { path: "/api/v1/secrets?watch=1", as: jane })).status).toBe(403);
    }
    await allowReading(server);
    await (await openWatch(server, jane)).return(undefined);
    await server.close();
  });
});

async function allowReading(server: TestApiServer): Promise<void> {
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "readers" }];
  const body = { metadata: { name: "readers" }, roleRef, subjects };
  expect((await callApi(server, { method: "POST", path, body })).status).toBe(201);
}

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
