// The loops on the real server, with a clock that is turned by hand.

import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { callApi, type Sent } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { LoopTrouble } from "./index.ts";

/** TLS knows only the real time, so the clock begins there. */
const START_MS = Date.now();
const troubles: LoopTrouble[] = [];
let server: TestApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  expect(troubles.splice(0)).toEqual([]);
});

async function start() {
  const clock = createManualClock(START_MS);
  const more = { onLoopTrouble: (trouble: LoopTrouble) => void troubles.push(trouble) };
  const started = await startTestApiServer({ clock, controllers: true, more });
  server = started;
  const call = (sent: Sent) => callApi(started, sent);
  const create = (path: string, body: unknown) => call({ method: "POST", path, body });
  return { clock, call, create, server: started };
}

/** The loops work on their own; what they do is there some turns later. */
async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isRight(value)) return value;
    await nextTurn();
  }
}

const NAMESPACES = "/api/v1/namespaces";
const inDefault = (plural: string) => `${NAMESPACES}/default/${plural}`;
const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
const isThere = ({ status }: { status: number }) => status === 200;
const isGone = ({ status }: { status: number }) => status === 404;

describe("a namespace", () => {
  it("has a service account and the root CA, also after they were deleted", async () => {
    const { call, create, server: started } = await start();
    await create(NAMESPACES, named("team"));
    const account = { path: `${NAMESPACES}/team/serviceaccounts/default` };
    const map = { path: `${NAMESPACES}/team/configmaps/kube-root-ca.crt` };
    const first = await until(() => call(account), isThere);
    const told = await until(() => call(map), isThere);
    expect(told.body.data).toEqual({ "ca.crt": started.caPem });
    expect(told.body.metadata.annotations["kubernetes.io/description"]).not.toBe("");
    await call({ ...account, method: "DELETE" });
    const second = await until(
      () => call(account),
      (answer) => isThere(answer) && answer.body.metadata.uid !== first.body.metadata.uid,
    );
    expect(second.status).toBe(200);
    const patch = { method: "PATCH", body: { data: { "ca.crt": "x" } } };
    await call({ ...map, ...patch, headers: { "content-type": "application/merge-patch+json" } });
    await until(
      () => call(map),
      ({ body }) => body.data["ca.crt"] === started.caPem,
    );
  });

  it("goes with everything in it, and waits for what is held", async () => {
    const { call, create } = await start();
    await create(NAMESPACES, named("gone"));
    await create(`${NAMESPACES}/gone/configmaps`, named("free"));
    await create(`${NAMESPACES}/gone/configmaps`, named("held", { finalizers: ["example.com/hold"] }));
    const deleted = await call({ method: "DELETE", path: `${NAMESPACES}/gone` });
    expect(deleted.body).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
    await until(() => call({ path: `${NAMESPACES}/gone/configmaps/free` }), isGone);
    const waiting = await until(
      () => call({ path: `${NAMESPACES}/gone` }),
      ({ body }) => body.status.conditions?.length === 5,
    );
    const message = (type: string) =>
      waiting.body.status.conditions.find((one: { type: string }) => one.type === type).message;
    expect(message("NamespaceFinalizersRemaining")).toBe(
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    );
    const late = await create(`${NAMESPACES}/gone/configmaps`, named("late"));
    expect(late.status).toBe(403);
    await call({
      method: "PATCH",
      path: `${NAMESPACES}/gone/configmaps/held`,
      body: { metadata: { finalizers: null } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await until(() => call({ path: `${NAMESPACES}/gone` }), isGone);
  });
});

describe("garbage collection", () => {
  const owned = (name: string, owner: { name: string; uid: string }, more: object = {}) =>
    named(name, { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", ...owner, ...more }] });

  async function anOwner(create: (path: string, body: unknown) => Promise<{ body: { metadata: { uid: string } } }>) {
    const { body } = await create(inDefault("configmaps"), named("owner"));
    return { name: "owner", uid: body.metadata.uid };
  }

  it("deletes what belonged to the deleted", async () => {
    const { call, create } = await start();
    const owner = await anOwner(create);
    await create(inDefault("secrets"), owned("child", owner));
    await call({ method: "DELETE", path: `${inDefault("configmaps")}/owner` });
    await until(() => call({ path: `${inDefault("secrets")}/child` }), isGone);
  });

  it("deletes what belongs to nobody, and keeps what has another owner", async () => {
    const { call, create } = await start();
    const owner = await anOwner(create);
    const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "0" };
    await create(inDefault("secrets"), owned("lost", { name: "never", uid: "0" }));
    const ownerReferences = [nobody, { apiVersion: "v1", kind: "ConfigMap", ...owner }];
    await create(inDefault("secrets"), named("shared", { ownerReferences }));
    await until(() => call({ path: `${inDefault("secrets")}/lost` }), isGone);
    const kept = await until(
      () => call({ path: `${inDefault("secrets")}/shared` }),
      ({ body }) => body.metadata.ownerReferences.length === 1,
    );
    expect(kept.body.metadata.ownerReferences[0].uid).toBe(owner.uid);
  });

  it("keeps what belongs to a kind that is not served", async () => {
    const { call, create } = await start();
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "0" }];
    await create(inDefault("secrets"), named("widgets", { ownerReferences }));
    await create(inDefault("secrets"), owned("probe", { name: "never", uid: "0" }));
    await until(() => call({ path: `${inDefault("secrets")}/probe` }), isGone);
    expect((await call({ path: `${inDefault("secrets")}/widgets` })).status).toBe(200);
  });

  it("deletes in the foreground: the owner goes last", async () => {
    const { call, create } = await start();
    const owner = await anOwner(create);
    await create(inDefault("secrets"), {
      metadata: {
        ...owned("child", owner, { blockOwnerDeletion: true }).metadata,
        finalizers: ["example.com/hold"],
      },
    });
    const path = `${inDefault("configmaps")}/owner`;
    const deleted = await call({ method: "DELETE", path, body: { propagationPolicy: "Foreground" } });
    expect(deleted.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await until(
      () => call({ path: `${inDefault("secrets")}/child` }),
      ({ body }) => body.metadata.deletionTimestamp !== undefined,
    );
    expect((await call({ path })).status).toBe(200);
    await call({
      method: "PATCH",
      path: `${inDefault("secrets")}/child`,
      body: { metadata: { finalizers: null } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await until(() => call({ path }), isGone);
  });

  it("deletes objects that own each other", async () => {
    const { call, create } = await start();
    const path = (name: string) => `${inDefault("configmaps")}/${name}`;
    const uids = new Map<string, string>();
    for (const name of ["a", "b", "c"]) {
      const { body } = await create(inDefault("configmaps"), named(name));
      uids.set(name, body.metadata.uid);
    }
    const owns = (owner: string, name: string) => {
      const { ownerReferences } = owned(name, { name: owner, uid: uids.get(owner) ?? "" }, { blockOwnerDeletion: true })
        .metadata as {
        ownerReferences?: unknown;
      };
      const headers = { "content-type": "application/merge-patch+json" };
      return call({ method: "PATCH", path: path(name), body: { metadata: { ownerReferences } }, headers });
    };
    for (const [owner, name] of [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
    ] as const)
      await owns(owner, name);
    await call({ method: "DELETE", path: path("a"), body: { propagationPolicy: "Foreground" } });
    for (const name of ["a", "b", "c"]) await until(() => call({ path: path(name) }), isGone);
  });

  it("makes orphans when it is told to", async () => {
    const { call, create } = await start();
    const owner = await anOwner(create);
    await create(inDefault("secrets"), owned("child", owner));
    const path = `${inDefault("configmaps")}/owner`;
    await call({ method: "DELETE", path, body: { propagationPolicy: "Orphan" } });
    await until(() => call({ path }), isGone);
    const { body } = await call({ path: `${inDefault("secrets")}/child` });
    expect(body.metadata.ownerReferences ?? []).toEqual([]);
  });
});

describe("a node", () => {
  const readiness = ({
    body,
  }: {
    body: { status: { conditions: { type: string; status: string; reason: string }[] } };
  }) => body.status.conditions.find(({ type }) => type === "Ready");
  const ready = (name: string) => ({
    ...named(name),
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          lastHeartbeatTime: new Date(START_MS).toISOString(),
          lastTransitionTime: new Date(START_MS).toISOString(),
        },
      ],
    },
  });

  it("that is not heard for 40 s becomes Unknown and unreachable, and comes back", async () => {
    const { clock, call, create } = await start();
    const path = "/api/v1/nodes/n1";
    await create("/api/v1/nodes", ready("n1"));
    await clock.advance(39_000);
    expect(readiness(await call({ path }))?.status).toBe("True");
    await clock.advance(2_000);
    const silent = await until(
      () => call({ path }),
      (answer) => readiness(answer)?.status === "Unknown" && (answer.body.spec?.taints ?? []).length === 2,
    );
    expect(readiness(silent)?.reason).toBe("NodeStatusUnknown");
    expect(
      silent.body.spec.taints.map((taint: { key: string; effect: string }) => `${taint.key}:${taint.effect}`),
    ).toEqual(["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]);
    const lastHeartbeatTime = new Date(clock.now()).toISOString();
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", lastHeartbeatTime }];
    await call({
      method: "PATCH",
      path: `${path}/status`,
      body: { status: { conditions } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await until(
      () => call({ path }),
      ({ body }) => (body.spec?.taints ?? []).length === 0,
    );
  });

  it("that renews its Lease stays ready", async () => {
    const { clock, call, create } = await start();
    await create("/api/v1/nodes", ready("n2"));
    const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    const spec = (ms: number) => ({ holderIdentity: "n2", renewTime: new Date(ms).toISOString().replace("Z", "000Z") });
    await create(leases, { ...named("n2"), spec: spec(clock.now()) });
    for (let beat = 0; beat < 6; beat++) {
      await clock.advance(20_000);
      const patch = { method: "PATCH", path: `${leases}/n2`, body: { spec: spec(clock.now()) } };
      const renewed = await call({ ...patch, headers: { "content-type": "application/merge-patch+json" } });
      expect(renewed.status).toBe(200);
    }
    expect(readiness(await call({ path: "/api/v1/nodes/n2" }))?.status).toBe("True");
  });
});

describe("a bootstrap token", () => {
  it("is deleted at its end", async () => {
    const { clock, call, server: started } = await start();
    const expiration = new Date(START_MS + 60_000).toISOString().replace(".000Z", "Z");
    await started.createBootstrapToken({ id: "aaaaaa", expiration });
    await started.createBootstrapToken({ id: "bbbbbb" });
    const path = (id: string) => `${NAMESPACES}/kube-system/secrets/bootstrap-token-${id}`;
    await clock.advance(59_000);
    expect((await call({ path: path("aaaaaa") })).status).toBe(200);
    await clock.advance(2_000);
    await until(() => call({ path: path("aaaaaa") }), isGone);
    expect((await call({ path: path("bbbbbb") })).status).toBe(200);
  });
});

describe("a Secret for a service account's token", () => {
  const aSecret = (name: string, account: string) => ({
    ...named(name, { annotations: { "kubernetes.io/service-account.name": account } }),
    type: "kubernetes.io/service-account-token",
  });
  const text = (base64: string) => Buffer.from(base64, "base64").toString();

  it("is filled, its token is good, and it goes with the account", async () => {
    const { call, create } = await start();
    await create(inDefault("serviceaccounts"), named("robot"));
    await create(inDefault("secrets"), aSecret("robot-token", "robot"));
    const path = `${inDefault("secrets")}/robot-token`;
    const filled = await until(
      () => call({ path }),
      ({ body }) => body.data?.token !== undefined,
    );
    expect(text(filled.body.data.namespace)).toBe("default");
    const as = { token: text(filled.body.data.token) };
    const who = await call({ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {}, as });
    expect(who.body.status.userInfo).toEqual({
      username: "system:serviceaccount:default:robot",
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    await call({ method: "DELETE", path: `${inDefault("serviceaccounts")}/robot` });
    await until(() => call({ path }), isGone);
    expect((await call({ path: "/version", as })).status).toBe(401);
  });
});
