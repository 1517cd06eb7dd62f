import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { callApi, type Sent, watchApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { classOf, createPlaces, type Places } from "./shares.ts";
import { parseGoDuration } from "./stage.ts";

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
    // The version does not exist yet and will not be reached.
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

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** A request whose headers say that a body follows, of which only so many bytes come. */
function stall(server: TestApiServer, token: string, { length = 100, sent = 1 } = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", ca: server.caPem, servername: "localhost" }, () => {
      const head = [
        `POST ${REQUESTS} HTTP/1.1`,
        "host: a",
        `authorization: Bearer ${token}`,
        `content-length: ${length}`,
      ];
      socket.write([...head, "content-type: application/json", "", "{".repeat(sent)].join("\r\n"));
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

async function aNode(server: TestApiServer) {
  const node = server.issueClientCertificate({ user: "system:node:n", groups: ["system:nodes"] });
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  await callApi(server, { method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n" } } });
  const created = await callApi(server, { method: "POST", path, as: node, body: { metadata: { name: "n" } } });
  expect(created.status).toBe(201);
  return {
    renew: async () => {
      const { body } = await callApi(server, { path: `${path}/n`, as: node });
      return (await callApi(server, { method: "PUT", path: `${path}/n`, as: node, body })).status;
    },
  };
}

describe("one that floods the server", () => {
  it("with bodies that never come does not keep a node from renewing its lease", async () => {
    const server = await startTestApiServer({ more: { limits: { mutating: 20, readOnly: 20 } } });
    const node = await aNode(server);
    const token = await server.createBootstrapToken();
    const path = REQUESTS;
    await allowJoining(server);
    const stalled = await Promise.all(Array.from({ length: 60 }, () => stall(server, token)));
    await sleep(200);
    expect(await Promise.all([node.renew(), node.renew(), node.renew()])).toEqual([200, 200, 200]);
    // Nor does that user keep others of its class out.
    expect((await callApi(server, { method: "POST", path, as: { token }, body: {} })).status).toBe(422);
    for (const socket of stalled) socket.destroy();
    await server.close();
  });

  it("with reads of a revision that does not exist holds no place while it waits", async () => {
    const server = await startTestApiServer({ more: { limits: { readOnly: 10 } } });
    const node = await aNode(server);
    await publishClusterInfo(server);
    const path = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
    const waiting = Array.from({ length: 30 }, () =>
      callApi(server, { path: `${path}?resourceVersion=999999999`, as: "anonymous" }),
    );
    await sleep(500);
    expect(await node.renew()).toBe(200);
    expect((await callApi(server, { path, as: "anonymous" })).status).toBe(200);
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses.every((status) => status === 504 || status === 429)).toBe(true);
    await server.close();
  });

  it("with promises of large bodies holds nothing, and keeps no other user out", async () => {
    const server = await startTestApiServer({ more: { limits: { bodyBytesPerUser: 100_000, bodyBytes: 400_000 } } });
    await allowJoining(server);
    const node = await aNode(server);
    const path = REQUESTS;
    const tokens = await Promise.all(["aaaaaa", "bbbbbb", "cccccc"].map((id) => server.createBootstrapToken({ id })));
    const stalled = await Promise.all(
      tokens.flatMap((token) => Array.from({ length: 5 }, () => stall(server, token, { length: 3_000_000 }))),
    );
    await sleep(200);
    expect(await node.renew()).toBe(200);
    for (const token of tokens) {
      expect((await callApi(server, { method: "POST", path, as: { token }, body: {} })).status).toBe(422);
    }
    for (const socket of stalled) socket.destroy();
    await server.close();
  });

  it("with large bodies, as any user, leaves nodes their own", async () => {
    const server = await startTestApiServer({ more: { limits: { bodyBytesPerUser: 500_000, bodyBytes: 900_000 } } });
    await allowJoining(server);
    const node = await aNode(server);
    const path = REQUESTS;
    const tokens = await Promise.all(["aaaaaa", "bbbbbb"].map((id) => server.createBootstrapToken({ id })));
    const stalled = await Promise.all(tokens.map((token) => stall(server, token, { length: 400_000, sent: 290_000 })));
    await sleep(500);
    const body = { metadata: { name: "a".repeat(30_000) } };
    const [token = ""] = tokens;
    expect((await callApi(server, { method: "POST", path, as: { token }, body })).status).toBe(429);
    expect(await node.renew()).toBe(200);
    for (const socket of stalled) socket.destroy();
    await server.close();
  });

  it("with large bodies is refused what others still may send", async () => {
    const server = await startTestApiServer({
      more: { limits: { bodyBytesPerUser: 1_000_000, bodyBytes: 2_000_000 } },
    });
    await allowJoining(server);
    const [one, other] = [await server.createBootstrapToken(), await server.createBootstrapToken({ id: "fedcba" })];
    const path = REQUESTS;
    const stalled = await stall(server, one, { length: 1_500_000, sent: 999_000 });
    await sleep(500);
    const body = { metadata: { name: "a".repeat(2_000) } };
    const refused = await callApi(server, { method: "POST", path, as: { token: one }, body });
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
    expect(refused.body.message).toContain("Too many bytes in the bodies of open requests");
    expect((await callApi(server, { method: "POST", path, as: { token: other }, body })).status).toBe(422);
    stalled.destroy();
    await expect
      .poll(async () => (await callApi(server, { method: "POST", path, as: { token: one }, body })).status)
      .toBe(422);
    await server.close();
  });
});

async function allowJoining(server: TestApiServer): Promise<void> {
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-bootstrapper" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:bootstrappers" }];
  const body = { metadata: { name: "join" }, roleRef, subjects };
  expect((await callApi(server, { method: "POST", path, body })).status).toBe(201);
}

async function publishClusterInfo(server: TestApiServer): Promise<void> {
  const post = async (path: string, body: unknown) =>
    expect((await callApi(server, { method: "POST", path, body })).status).toBe(201);
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public";
  const group = "rbac.authorization.k8s.io";
  await post("/api/v1/namespaces/kube-public/configmaps", { metadata: { name: "cluster-info" } });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["cluster-info"], verbs: ["get"] }];
  await post(`${rbac}/roles`, { metadata: { name: "info" }, rules });
  await post(`${rbac}/rolebindings`, {
    metadata: { name: "info" },
    roleRef: { apiGroup: group, kind: "Role", name: "info" },
    subjects: [{ apiGroup: group, kind: "User", name: "system:anonymous" }],
  });
}

describe("the places inside", () => {
  const user = (username: string, ...groups: string[]) => ({ username, groups });
  const fill = (places: Places, who: ReturnType<typeof user>) => {
    let held = 0;
    while (held < 1_000 && places.enter(who) !== undefined) held += 1;
    return held;
  };
  const node = user("system:node:a", "system:nodes", "system:authenticated");
  const token = user("system:bootstrap:a", "system:bootstrappers", "system:authenticated");
  const nobody = user("system:anonymous", "system:unauthenticated");
  const jane = user("jane", "system:authenticated");
  const manager = user("system:kube-controller-manager", "system:authenticated");
  const pods = user(
    "system:serviceaccount:kube-system:a",
    "system:serviceaccounts:kube-system",
    "system:serviceaccounts",
  );

  it.each([
    ["nodes", node],
    ["bootstrap", token],
    ["anonymous", nobody],
    ["others", jane],
    ["system", manager],
    ["system", pods],
    ["accounts", user("system:serviceaccount:a:b", "system:serviceaccounts", "system:serviceaccounts:a")],
  ])("are those of %s for %j", (expected, who) => {
    expect(classOf(who)).toBe(expected);
  });

  it("are kept for each class, whatever the others do", () => {
    const places = createPlaces(200);
    for (const who of [nobody, token, user("system:bootstrap:b", "system:bootstrappers"), jane, user("joe")])
      fill(places, who);
    const nodes = Array.from({ length: 10 }, (_, n) => user(`system:node:${n}`, "system:nodes"));
    expect(nodes.reduce((sum, who) => sum + fill(places, who), 0)).toBeGreaterThanOrEqual(40);
    expect(fill(places, manager)).toBeGreaterThanOrEqual(30);
  });

  it("are all given back, and never more than there are", () => {
    const places = createPlaces(100);
    for (let round = 0; round < 3; round++) {
      const held = [nobody, token, jane, node, manager].flatMap((who) =>
        Array.from({ length: 200 }, () => places.enter(who)).filter((leave) => leave !== undefined),
      );
      expect(held.length).toBeLessThanOrEqual(100);
      expect(held.length).toBeGreaterThan(80);
      for (const leave of held) leave();
    }
    expect(createPlaces(0).enter(manager)).toBeUndefined();
  });
});
