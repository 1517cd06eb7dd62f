// The life of a pod between its writer, its scheduler and its kubelet, over the wire.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Received, type Sent, watchApi } from "../../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";

let server: TestApiServer;
const NS = "/api/v1/namespaces/default";
const PODS = `${NS}/pods`;

const call = (sent: Sent): Promise<Received> => callApi(server, sent);
const post = (path: string, body: unknown) => call({ method: "POST", path, body });
const remove = (path: string, body?: unknown) =>
  call({ method: "DELETE", path, ...(body === undefined ? {} : { body }) });
const get = (path: string) => call({ path });

async function aPod(name: string, nodeName?: string): Promise<void> {
  const containers = [{ name: "c", image: "i" }];
  const spec = { serviceAccountName: "app", containers, ...(nodeName === undefined ? {} : { nodeName }) };
  expect((await post(PODS, { metadata: { name }, spec })).status).toBe(201);
}

const bindTo = (name: string, node: string) => ({ metadata: { name }, target: { kind: "Node", name: node } });

beforeAll(async () => {
  server = await startTestApiServer();
  expect((await post(`${NS}/serviceaccounts`, { metadata: { name: "app" } })).status).toBe(201);
});
afterAll(() => server.close());

describe("a binding", () => {
  it("says where a pod runs, once", async () => {
    await aPod("bound");
    expect(await post(`${PODS}/bound/binding`, bindTo("bound", "n1"))).toMatchObject({
      status: 201,
      body: { kind: "Status", status: "Success" },
    });
    expect((await get(`${PODS}/bound`)).body).toMatchObject({
      spec: { nodeName: "n1" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expect(await post(`${PODS}/bound/binding`, bindTo("bound", "n2"))).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/pod bound is already assigned to node "n1"$/) },
    });
  });

  it("of two at the same time only one counts", async () => {
    await aPod("raced");
    const tries = ["n1", "n2", "n3", "n4"].map((node) => post(`${PODS}/raced/binding`, bindTo("raced", node)));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409, 409]);
  });

  it("is refused for another pod than that of the URL, for none, and by strangers", async () => {
    await aPod("unbound");
    expect((await post(`${PODS}/unbound/binding`, bindTo("bound", "n1"))).status).toBe(400);
    expect((await post(`${PODS}/none/binding`, bindTo("none", "n1"))).status).toBe(404);
    expect((await post(`${PODS}/unbound/binding`, bindTo("unbound", ""))).status).toBe(422);
    const path = `${PODS}/unbound/binding`;
    const as = server.issueClientCertificate({ user: "jane" });
    expect((await call({ method: "POST", path, body: bindTo("unbound", "n1"), as })).status).toBe(403);
    expect((await call({ method: "POST", path, body: bindTo("unbound", "n1"), as: "anonymous" })).status).toBe(403);
  });

  it("that is only tried changes nothing", async () => {
    await aPod("dry");
    expect((await post(`${PODS}/dry/binding?dryRun=All`, bindTo("dry", "n1"))).status).toBe(201);
    expect((await get(`${PODS}/dry`)).body.spec).not.toHaveProperty("nodeName");
  });
});

describe("the end of a pod", () => {
  it("is a mark first, and then for good when its kubelet is done", async () => {
    await aPod("ends", "n1");
    const { body: before } = await get(`${PODS}/ends`);
    const seen: string[] = [];
    const watching = (async () => {
      const path = `${PODS}?watch=1&fieldSelector=metadata.name%3Dends&resourceVersion=${before.metadata.resourceVersion}`;
      for await (const { type, object } of watchApi(server, { path })) {
        seen.push(`${type} ${object.metadata.deletionGracePeriodSeconds} ${object.status.phase}`);
        if (type === "DELETED") return;
      }
    })();
    expect((await remove(`${PODS}/ends`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    // The kubelet goes on telling how the pod is: that must not take it away.
    const status = {
      method: "PATCH",
      path: `${PODS}/ends/status`,
      headers: { "content-type": "application/merge-patch+json" },
    };
    await call({ ...status, body: { status: { phase: "Succeeded" } } });
    expect((await get(`${PODS}/ends`)).status).toBe(200);
    const { uid } = before.metadata;
    expect((await remove(`${PODS}/ends`, { gracePeriodSeconds: 0, preconditions: { uid: "other" } })).status).toBe(409);
    expect((await remove(`${PODS}/ends`, { gracePeriodSeconds: 0, preconditions: { uid } })).status).toBe(200);
    expect((await get(`${PODS}/ends`)).status).toBe(404);
    await watching;
    expect(seen).toEqual([
      "MODIFIED 30 Pending",
      "MODIFIED 30 Succeeded",
      "MODIFIED 0 Succeeded",
      "DELETED 0 Succeeded",
    ]);
  });

  it("can come sooner than was granted, never later", async () => {
    await aPod("sooner", "n1");
    const first = Date.parse((await remove(`${PODS}/sooner`)).body.metadata.deletionTimestamp);
    const end = async (gracePeriodSeconds: number) =>
      (await remove(`${PODS}/sooner`, { gracePeriodSeconds })).body.metadata.deletionTimestamp;
    expect(Date.parse(await end(60))).toBe(first);
    expect(Date.parse(await end(10))).toBe(first - 20_000);
  });

  it("is at once when it runs nowhere", async () => {
    await aPod("nowhere");
    expect((await remove(`${PODS}/nowhere`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    expect((await get(`${PODS}/nowhere`)).status).toBe(404);
  });

  it("waits for finalizers when its time is over", async () => {
    await aPod("held", "n1");
    const path = `${PODS}/held`;
    const headers = { "content-type": "application/merge-patch+json" };
    await call({ method: "PATCH", path, headers, body: { metadata: { finalizers: ["a.b/c"] } } });
    await remove(path, { gracePeriodSeconds: 0 });
    expect((await get(path)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
    await call({ method: "PATCH", path, headers, body: { metadata: { finalizers: null } } });
    expect((await get(path)).status).toBe(404);
  });
});

describe("an eviction", () => {
  it("tells the pod why and lets it end", async () => {
    await aPod("evicted", "n1");
    const deleteOptions = { gracePeriodSeconds: 7 };
    expect((await post(`${PODS}/evicted/eviction`, { metadata: { name: "evicted" }, deleteOptions })).status).toBe(201);
    expect((await get(`${PODS}/evicted`)).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 7 },
      status: { conditions: [{ type: "DisruptionTarget", reason: "EvictionByEvictionAPI" }] },
    });
  });

  it("of another pod of the same name is refused", async () => {
    await aPod("younger", "n1");
    const body = { metadata: { name: "younger" }, deleteOptions: { preconditions: { uid: "older" } } };
    expect((await post(`${PODS}/younger/eviction`, body)).status).toBe(409);
    expect((await get(`${PODS}/younger`)).body.metadata).not.toHaveProperty("deletionTimestamp");
  });
});
