import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, watchApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

const OLD = "/api/v1/namespaces/default/events";
const NEW = "/apis/events.k8s.io/v1/namespaces/default/events";

const old = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "default", name: "p" },
  message: "m",
});
const fresh = (name: string) => ({
  metadata: { name },
  regarding: { kind: "Pod", namespace: "default", name: "p" },
  note: "n",
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "i",
  action: "Do",
  reason: "Because",
  type: "Normal",
});

describe("one object with two faces", () => {
  it("is the same object, whichever wrote it", async () => {
    const { body: written } = await callApi(server, { method: "POST", path: OLD, body: old("a") });
    const { body: read } = await callApi(server, { path: `${NEW}/a` });
    expect(read).toMatchObject({ kind: "Event", apiVersion: "events.k8s.io/v1", note: "m", regarding: { name: "p" } });
    expect(read.metadata).toMatchObject({
      uid: written.metadata.uid,
      resourceVersion: written.metadata.resourceVersion,
    });
    expect((await callApi(server, { method: "POST", path: NEW, body: fresh("a") })).status).toBe(409);
    await callApi(server, { method: "POST", path: NEW, body: fresh("b") });
    expect((await callApi(server, { path: `${OLD}/b` })).body).toMatchObject({ apiVersion: "v1", message: "n" });
    await callApi(server, { method: "DELETE", path: `${NEW}/a` });
    expect((await callApi(server, { path: `${OLD}/a` })).status).toBe(404);
  });

  it("is listed, selected and watched by the words of each face", async () => {
    const { body: list } = await callApi(server, { path: `${NEW}?fieldSelector=regarding.name%3Dp` });
    expect(list).toMatchObject({ kind: "EventList", apiVersion: "events.k8s.io/v1", items: [{ note: "n" }] });
    const watching = watchApi(server, { path: `${NEW}?watch=1&resourceVersion=${list.metadata.resourceVersion}` });
    await callApi(server, { method: "POST", path: OLD, body: old("c") });
    const { value } = await watching.next();
    expect(value).toMatchObject({ type: "ADDED", object: { apiVersion: "events.k8s.io/v1", note: "m" } });
    await watching.return(undefined);
  });
});
