// The whole way of a request, over real TLS.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCsr, forNode, named, withSigner } from "../../test/builders/csr.ts";
import { callApi, type Sent, watchApi } from "../../test/fakes/api-client.ts";
import { type ClientCertificate, startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";
import { createMemoryStorage } from "./storage/engine.ts";
import { DEFAULT_HISTORY_LIMITS } from "./storage/history.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

const call = (sent: Sent) => callApi(server, sent);
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const MAPS = "/api/v1/namespaces/default/configmaps";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const MERGE = { "content-type": "application/merge-patch+json" };
const aMap = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const create = (path: string, body: unknown) => call({ method: "POST", path, body });

describe("who asks", () => {
  it("is anonymous without a credential, and may read the public paths only", async () => {
    expect((await call({ path: "/healthz", as: "anonymous" })).text).toBe("ok");
    const { status, body } = await call({ path: "/api/v1/nodes", as: "anonymous" });
    expect(status).toBe(403);
    expect(body.message).toBe(
      'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
    );
  });

  it("is refused with a bad token even where anonymous may read", async () => {
    expect(await call({ path: "/healthz", as: { token: "abcdef.0000000000000000" } })).toMatchObject({
      status: 401,
      body: { reason: "Unauthorized", message: "Unauthorized" },
    });
  });

  it("is refused with a certificate of another CA even where anonymous may read", async () => {
    const other = await startTestApiServer();
    const stranger = other.issueClientCertificate({ user: "system:admin", groups: ["system:masters"] });
    await other.close();
    expect((await call({ path: "/healthz", as: stranger })).status).toBe(401);
  });

  it("is refused with an expired certificate", async () => {
    const expired = server.issueClientCertificate({ user: "x", groups: ["system:masters"], lifetimeMs: -60_000 });
    expect((await call({ path: "/healthz", as: expired })).status).toBe(401);
  });

  it("is told who it is", async () => {
    const token = await server.createBootstrapToken({ id: "aaaaaa" });
    const { body } = await call({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: {},
      as: { token },
    });
    expect(body.status.userInfo).toEqual({
      username: "system:bootstrap:aaaaaa",
      groups: ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token", "system:authenticated"],
    });
  });
});

describe("an object", () => {
  it("is created, read, changed and deleted", async () => {
    const created = await create(MAPS, aMap("one", { data: { a: "b" } }));
    expect(created).toMatchObject({ status: 201, body: { kind: "ConfigMap", apiVersion: "v1", data: { a: "b" } } });
    expect(created.body.metadata).toMatchObject({
      namespace: "default",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });

    const put = { ...created.body, data: { a: "c" } };
    const updated = await call({ method: "PUT", path: `${MAPS}/one`, body: put });
    expect(updated).toMatchObject({ status: 200, body: { data: { a: "c" } } });
    const stale = await call({ method: "PUT", path: `${MAPS}/one`, body: put });
    expect(stale).toMatchObject({ status: 409, body: { reason: "Conflict" } });

    const deleted = await call({ method: "DELETE", path: `${MAPS}/one` });
    expect(deleted.body).toMatchObject({ status: "Success", details: { name: "one", kind: "configmaps" } });
    expect((await call({ path: `${MAPS}/one` })).body.message).toBe('configmaps "one" not found');
  });

  it("gets a name from its prefix", async () => {
    const { body } = await create(MAPS, { metadata: { generateName: "many-" } });
    expect(body.metadata.name).toMatch(/^many-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it("keeps its resourceVersion when nothing changes", async () => {
    const { body } = await create(MAPS, aMap("still"));
    const again = await call({ method: "PATCH", path: `${MAPS}/still`, body: { metadata: {} }, headers: MERGE });
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it("stays until its last finalizer is gone", async () => {
    await create(MAPS, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const marked = await call({ method: "DELETE", path: `${MAPS}/held` });
    expect(marked).toMatchObject({ status: 200, body: { metadata: { deletionTimestamp: expect.any(String) } } });
    expect((await create(MAPS, aMap("held"))).body.message).toMatch(/^object is being deleted: /);
    await call({ method: "PATCH", path: `${MAPS}/held`, body: { metadata: { finalizers: null } }, headers: MERGE });
    expect((await call({ path: `${MAPS}/held` })).status).toBe(404);
  });

  it("is not stored when the client takes none of the answers there are", async () => {
    const headers = { accept: "text/html" };
    expect((await call({ method: "POST", path: MAPS, body: aMap("unseen"), headers })).status).toBe(406);
    expect((await call({ path: `${MAPS}/unseen` })).status).toBe(404);
  });

  it("is not stored in a dry run", async () => {
    expect((await create(`${MAPS}?dryRun=All`, aMap("dry"))).status).toBe(201);
    expect((await call({ path: `${MAPS}/dry` })).status).toBe(404);
  });

  it("is deleted only when the preconditions hold", async () => {
    await create(MAPS, aMap("guarded"));
    const body = { preconditions: { uid: "other" } };
    expect((await call({ method: "DELETE", path: `${MAPS}/guarded`, body })).status).toBe(409);
  });

  it("takes thirty writers at once, and none of them loses", async () => {
    await create(MAPS, aMap("counted"));
    const patches = Array.from({ length: 30 }, (_, at) =>
      call({ method: "PATCH", path: `${MAPS}/counted`, body: { data: { [`k${at}`]: "x" } }, headers: MERGE }),
    );
    expect((await Promise.all(patches)).map((answer) => answer.status)).toEqual(patches.map(() => 200));
    const { body } = await call({ path: `${MAPS}/counted` });
    expect(Object.keys(body.data)).toHaveLength(30);
  });
});

describe("a namespace", () => {
  it("takes everything inside along when it goes", async () => {
    await create("/api/v1/namespaces", aMap("gone"));
    await create("/api/v1/namespaces/gone/configmaps", aMap("inside"));
    const deleted = await call({ method: "DELETE", path: "/api/v1/namespaces/gone" });
    expect(deleted.body).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
    while ((await call({ path: "/api/v1/namespaces/gone" })).status !== 404);
    expect((await call({ path: "/api/v1/namespaces/gone/configmaps/inside" })).status).toBe(404);
    expect((await create("/api/v1/namespaces/gone/configmaps", aMap("late"))).body.message).toBe(
      'namespaces "gone" not found',
    );
  });

  it("stays when the cluster needs it", async () => {
    expect((await call({ method: "DELETE", path: "/api/v1/namespaces/kube-system" })).body.message).toBe(
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
  });
});

describe("a list", () => {
  it("whose pages became too old can go on with what there is now", async () => {
    const storage = createMemoryStorage({ historyLimits: { ...DEFAULT_HISTORY_LIMITS, changes: 1 } });
    const other = await startTestApiServer({ storage });
    const path = "/api/v1/namespaces/default/configmaps";
    const create = (name: string) => callApi(other, { method: "POST", path, body: { metadata: { name } } });
    for (const name of ["a", "b", "c"]) await create(name);
    const next = (token: string) => callApi(other, { path: `${path}?limit=1&continue=${token}` });
    const first = await callApi(other, { path: `${path}?limit=1` });
    for (const name of ["d", "e"]) await create(name);
    const expired = await next(first.body.metadata.continue);
    expect(expired).toMatchObject({
      status: 410,
      body: { reason: "Expired", metadata: { continue: expect.any(String) } },
    });
    const second = await next(expired.body.metadata.continue);
    expect(second.body.items.map((one: { metadata: { name: string } }) => one.metadata.name)).toEqual(["b"]);
    expect((await next(second.body.metadata.continue)).body.items).toMatchObject([{ metadata: { name: "c" } }]);
    await other.close();
  });

  it("comes in pages of one revision", async () => {
    await call({ method: "DELETE", path: MAPS });
    for (const name of ["a", "b", "c"]) await create(MAPS, aMap(name, { metadata: { name, labels: { n: name } } }));
    const first = await call({ path: `${MAPS}?limit=2` });
    expect(first.body.metadata).toMatchObject({ continue: expect.any(String), remainingItemCount: 1 });
    await create(MAPS, aMap("d"));
    const second = await call({ path: `${MAPS}?limit=2&continue=${first.body.metadata.continue}` });
    expect(second.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["c"]);
    expect(second.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  });

  it("is narrowed by selectors, across pages", async () => {
    const names = async (query: string) =>
      (await call({ path: `${MAPS}?${query}` })).body.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
    expect(await names("labelSelector=n%20in%20(a,c)&limit=2")).toEqual(["a", "c"]);
    expect(await names("fieldSelector=metadata.name%3Db")).toEqual(["b"]);
    expect((await call({ path: `${MAPS}?fieldSelector=data.a%3Db` })).body.message).toBe(
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it("is a table for kubectl", async () => {
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
    const { body } = await call({ path: "/api/v1/namespaces", headers });
    expect(body.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(["Name", "Status", "Age"]);
    expect(body.rows.map((row: { cells: string[] }) => row.cells[0])).toContain("kube-node-lease");
  });
});

describe("a watch", () => {
  it("begins with what is there, says so, and goes on", async () => {
    const events: string[] = [];
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const path = `/api/v1/namespaces/kube-system/configmaps?${query}`;
    await create("/api/v1/namespaces/kube-system/configmaps", aMap("w1"));
    for await (const { type, object } of watchApi(server, { path })) {
      events.push(`${type} ${object.metadata.name ?? object.metadata.annotations["k8s.io/initial-events-end"]}`);
      if (type === "BOOKMARK") void create("/api/v1/namespaces/kube-system/configmaps", aMap("w2"));
      if (object.metadata.name === "w2") break;
    }
    expect(events).toEqual(["ADDED w1", "BOOKMARK true", "ADDED w2"]);
  });

  it("ends after its timeout", async () => {
    const { status, text } = await call({ path: "/api/v1/nodes?watch=1&timeoutSeconds=1" });
    expect([status, text]).toEqual([200, ""]);
  });

  it("is a stream of tables for kubectl, with the columns in the first", async () => {
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const path = "/api/v1/namespaces?watch=1&timeoutSeconds=1";
    const columns: unknown[] = [];
    for await (const { object } of watchApi(server, { path, headers }))
      columns.push(object.columnDefinitions?.length ?? null);
    expect(columns).toEqual([3, null, null, null]);
  });

  it("ends with the server", async () => {
    const short = await startTestApiServer();
    let closing: Promise<void> | undefined;
    for await (const { type } of watchApi(short, { path: "/api/v1/namespaces?watch=1" })) {
      expect(type).toBe("ADDED");
      closing ??= short.close();
    }
    await closing;
  });

  it("ends with one ERROR event when its past is forgotten", async () => {
    const storage = createMemoryStorage({ historyLimits: { ...DEFAULT_HISTORY_LIMITS, changes: 1 } });
    const forgetful = await startTestApiServer({ storage });
    const events: { type: string; object: { code?: number } }[] = [];
    const path = "/api/v1/namespaces?watch=1&resourceVersion=2";
    for await (const event of watchApi(forgetful, { path })) events.push(event);
    expect(events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    await forgetful.close();
  });

  it("refuses what it cannot promise", async () => {
    expect((await call({ path: "/api/v1/nodes?watch=1&sendInitialEvents=true" })).status).toBe(422);
  });
});

describe("a node", () => {
  const node = (as: ClientCertificate, sent: Sent) => call({ ...sent, as });

  it("registers itself, beats its heart, and does nothing else", async () => {
    const as = server.issueClientCertificate({ user: "system:node:n1", groups: ["system:nodes"] });
    const create = (path: string, body: unknown) => node(as, { method: "POST", path, body });
    expect((await create("/api/v1/nodes", { metadata: { name: "n1" } })).status).toBe(201);
    expect((await create("/api/v1/nodes", { metadata: { name: "n2" } })).status).toBe(403);
    const status = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    const patch = (name: string) => ({
      method: "PATCH",
      path: `/api/v1/nodes/${name}/status`,
      body: status,
      headers: MERGE,
    });
    expect((await node(as, patch("n1"))).body.status.conditions[0]).toEqual({ type: "Ready", status: "True" });
    expect((await node(as, patch("n2"))).status).toBe(404);

    const lease = { metadata: { name: "n1" }, spec: { holderIdentity: "n1", leaseDurationSeconds: 40 } };
    const made = await create(LEASES, lease);
    expect(made.status).toBe(201);
    expect((await node(as, { method: "PUT", path: `${LEASES}/n1`, body: made.body })).status).toBe(200);
    expect((await node(as, { method: "PUT", path: `${LEASES}/n1`, body: lease })).body.message).toMatch(
      /metadata.resourceVersion: Invalid value: 0: must be specified for an update$/,
    );
    for (const path of [
      "/api/v1/secrets",
      "/api/v1/namespaces/kube-system/secrets/bootstrap-token-aaaaaa",
      "/api/v1/nodes/n2",
    ]) {
      expect((await node(as, { path })).status).toBe(403);
    }
  });

  it("cannot ask the kubelet signer for another's name", async () => {
    const as = server.issueClientCertificate({ user: "system:node:n1", groups: ["system:nodes"] });
    const { metadata: _metadata, ...csr } = aCsr(forNode("n2"));
    const { status, body } = await node(as, { method: "POST", path: CSRS, body: { ...csr, metadata: { name: "x" } } });
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "x" is forbidden: can only create a node CSR with CN=system:node:n1',
    ]);
  });
});

describe("a certificate signing request", () => {
  it("is approved by who may approve its signer", async () => {
    const { metadata, ...csr } = aCsr(named("mine"), withSigner("example.com/a"));
    expect((await create(CSRS, { ...csr, metadata: { name: metadata.name } })).status).toBe(201);
    const rules = (names: string[]) => [
      { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests/approval"], verbs: ["patch"] },
      { apiGroups: ["certificates.k8s.io"], resources: ["signers"], verbs: ["approve"], resourceNames: names },
    ];
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    await create(`${rbac}/clusterroles`, { metadata: { name: "approver" }, rules: rules(["example.com/b"]) });
    await create(`${rbac}/clusterrolebindings`, {
      metadata: { name: "approver" },
      roleRef: { kind: "ClusterRole", name: "approver" },
      subjects: [{ kind: "User", name: "jane" }],
    });
    const as = server.issueClientCertificate({ user: "jane" });
    const body = { status: { conditions: [{ type: "Approved", status: "True" }] } };
    const approve = () => call({ method: "PATCH", path: `${CSRS}/mine/approval`, body, headers: MERGE, as });
    expect(await approve()).toMatchObject({
      status: 403,
      body: { message: expect.stringMatching(/not permitted to approve/) },
    });
    const widened = { rules: rules(["example.com/*"]) };
    await call({ method: "PATCH", path: `${rbac}/clusterroles/approver`, body: widened, headers: MERGE });
    expect((await approve()).status).toBe(200);
  });
});

describe("what a stranger may try", () => {
  it("is refused: a body that is too large", async () => {
    const body = JSON.stringify(aMap("big", { data: { a: "x".repeat(3 * 1024 * 1024) } }));
    const answer = await call({ method: "POST", path: MAPS, body, headers: { "content-type": "application/json" } });
    expect(answer).toMatchObject({ status: 413, body: { message: "Request entity too large: limit is 3145728" } });
  });

  it("is refused: keys that change prototypes, in bodies and patches", async () => {
    const headers = { "content-type": "application/json" };
    const body = '{"metadata":{"name":"p","labels":{"__proto__":{"a":"b"}}}}';
    expect((await call({ method: "POST", path: MAPS, body, headers })).status).toBe(400);
    await create(MAPS, aMap("p"));
    const merge = { method: "PATCH", path: `${MAPS}/p`, body: '{"__proto__":{"polluted":1}}', headers: MERGE };
    expect((await call(merge)).status).toBe(400);
    const operations = '[{"op":"add","path":"/__proto__/polluted","value":1}]';
    const patch = { ...merge, body: operations, headers: { "content-type": "application/json-patch+json" } };
    expect((await call(patch)).status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("is refused: fields of the wrong type, wherever code would read them", async () => {
    const bodies = [
      { metadata: "x" },
      { metadata: { name: "x", labels: ["a"] } },
      { metadata: { name: "x", annotations: { a: 1 } } },
      { metadata: { name: "x", finalizers: [{}] } },
      { metadata: { name: "x", ownerReferences: [null] } },
      { metadata: { name: { toString: "x" } } },
      { metadata: { name: "x" }, data: [] },
    ];
    for (const body of bodies) expect((await create(MAPS, body)).status).toBe(400);
  });

  it("is refused: an encoding that is not spoken here", async () => {
    const headers = { "content-type": "application/cbor" };
    expect((await call({ method: "POST", path: MAPS, body: "\u00d9\u00d9", headers })).status).toBe(415);
  });

  it("is refused: path tricks", async () => {
    for (const path of ["/healthz/..%2f..%2fapi/v1/secrets", "/api/v1/namespaces/a/%2e%2e/secrets"]) {
      expect((await call({ path, as: "anonymous" })).status).toBe(400);
    }
    expect((await call({ path: "/healthz/api/v1/secrets", as: "anonymous" })).status).toBe(403);
  });

  it("is not impressed by headers that name a user", async () => {
    const headers = { "x-remote-user": "system:admin", "x-remote-group": "system:masters", "impersonate-user": "root" };
    expect((await call({ path: "/api/v1/secrets", headers, as: "anonymous" })).status).toBe(403);
  });

  it("is refused: an administrator who impersonates, which would be ignored otherwise", async () => {
    const headers = { "impersonate-user": "nobody" };
    expect((await call({ path: "/api/v1/nodes", headers })).status).toBe(403);
  });

  it("gets its audit id back only when it is one", async () => {
    const echo = async (id: string) =>
      (await call({ path: "/version", headers: { "audit-id": id } })).headers["audit-id"];
    expect(await echo("my-id")).toBe("my-id");
    expect(await echo("<script>")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a restart", () => {
  it("keeps what operators changed in the bootstrap policy, and adds what is missing", async () => {
    const clusterRole = "/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
    const first = await startTestApiServer();
    await callApi(first, {
      method: "PATCH",
      path: clusterRole,
      body: { metadata: { labels: { mine: "yes" } } },
      headers: MERGE,
    });
    await callApi(first, { method: "DELETE", path: clusterRole.replace("view", "edit") });
    const { storage } = first;
    const second = await startTestApiServer({ storage });
    const answers = await Promise.all([
      callApi(second, { path: clusterRole }),
      callApi(second, { path: clusterRole.replace("view", "edit") }),
    ]);
    expect(answers[0]?.body.metadata.labels.mine).toBe("yes");
    expect(answers[1]?.body.rules.length).toBeGreaterThan(20);
    await second.close();
    await first.close();
  });
});
