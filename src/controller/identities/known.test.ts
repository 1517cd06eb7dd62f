// NodeIdentities of several clusters in one management cluster, on the embedded API server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { define, loadDefinitions } from "../../../test/contract/definitions.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import {
  EK_LABEL,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../api/countersign/index.ts";
import type { IdentityPhase } from "../../api/countersign/node-identity.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createIdentity } from "../../platform/identities/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { ClusterName } from "../machines/index.ts";
import { createIdentities, getIdentity, isLive } from "./known.ts";

let server: TestApiServer;
let management: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
  management = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
  for (const definition of await loadDefinitions()) {
    if (definition.metadata.name?.startsWith("nodeidentities") === true)
      await define(management, definition, NODE_IDENTITIES);
  }
  for (const clusterName of ["east", "west", undefined]) {
    const made = await management.create<NodeIdentity>(NODE_IDENTITIES, {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "NodeIdentity",
      metadata: { name: identityName("worker-1", clusterName), labels: { [EK_LABEL]: "ek" } },
      spec: { nodeName: "worker-1", ...(clusterName === undefined ? {} : { clusterName }) },
    });
    const machine = { namespace: "fleet", name: "m", uid: "u" };
    const status = { attestedAt: new Date().toISOString(), providerId: "test:///1", machine };
    await management.update<NodeIdentity>(NODE_IDENTITIES, { ...made, status }, { subresource: "status" });
  }
});
afterAll(async () => {
  await management.close();
  await server.close();
});

it.each(["east", undefined])(
  "those of cluster %s are kept up by its controller, and no others",
  async (clusterName) => {
    const world = { clock: systemClock, random: Math.random, log: silentLog };
    const identities = createIdentities(
      management,
      world,
      clusterName === undefined ? undefined : { name: clusterName },
    );
    const stop = new AbortController();
    const running = identities.run(stop.signal);
    await identities.waitForSync(AbortSignal.timeout(10_000));
    expect(identities.list().map(({ spec }) => spec.clusterName)).toEqual([clusterName]);
    expect(identities.find("worker-1")).toMatchObject({ kind: "Present" });
    expect(identities.countYoung(Date.now())).toBe(1);
    expect(identities.holdersOfProvider("test:///1", "worker-1")).toEqual({ kind: "Present", value: [] });
    expect(identities.holdersOfProvider("test:///1", "another")).toEqual({
      kind: "Present",
      value: [{ node: "worker-1", isProven: true }],
    });
    // One TPM, one live identity, in whatever cluster; but which nodes another has is told to nobody here.
    const holders = identities.holdersOf("ek", "another");
    const named = holders.kind === "Present" ? holders.value.map(({ nodeName }) => nodeName) : [];
    expect(named.toSorted()).toEqual(["worker-1", undefined, undefined]);
    stop.abort();
    await running;
  },
);

it.each([
  ["fleet", 1, 0],
  ["other", 0, 1],
])(
  "those of Machines in namespace fleet are kept up for the cluster %s/east %d times",
  async (namespace, own, others) => {
    const world = { clock: systemClock, random: Math.random, log: silentLog };
    const identities = createIdentities(management, world, { name: "east", namespace });
    const stop = new AbortController();
    const running = identities.run(stop.signal);
    await identities.waitForSync(AbortSignal.timeout(10_000));
    expect([identities.list().length, identities.elsewhere().length]).toEqual([own, others]);
    expect(identities.countYoung(Date.now())).toBe(own);
    // Its name is taken all the same: whoever asks for it is told so.
    expect(identities.find("worker-1")).toMatchObject({ kind: "Present" });
    stop.abort();
    await running;
  },
);

describe("an identity's key", () => {
  it.each<[string, Partial<NodeIdentitySpec>, IdentityPhase | undefined, boolean]>([
    ["is its own before the first join", {}, undefined, true],
    ["is its own while its Node is still there", {}, "Retiring", true],
    ["is free when it is retired", {}, "Retired", false],
    ["is free the moment an operator says so", { retired: true }, "Active", false],
    ["is its own again when that is taken back", { retired: false }, "Active", true],
    ["is not free when it is revoked too", { retired: true, revoked: true }, "Active", true],
    ["is not free when it was retired before it was revoked", { revoked: true }, "Retired", true],
    ["is not free until a lifted revocation is over", { retired: true, revoked: false }, "Revoked", true],
  ])("%s", (_, spec, phase, expected) => {
    const identity: NodeIdentity = {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "NodeIdentity",
      metadata: { name: "worker-1" },
      spec: { nodeName: "worker-1", ...spec },
      ...(phase === undefined ? {} : { status: { phase } }),
    };
    expect(isLive(identity)).toBe(expected);
  });
});

it("an operator's word frees the key and the instance for another node at once", async () => {
  const world = { clock: systemClock, random: Math.random, log: silentLog };
  const identities = createIdentities(management, world, { name: "east" });
  const stop = new AbortController();
  const running = identities.run(stop.signal);
  await identities.waitForSync(AbortSignal.timeout(10_000));
  const name = identityName("worker-1", "east");
  const spec = { retired: true };
  identities.observe(await management.patch<NodeIdentity>(NODE_IDENTITIES, { name }, { spec }, { type: "merge" }));
  const holders = identities.holdersOf("ek", "another");
  expect(holders.kind === "Present" && holders.value.map(({ identity }) => identity)).not.toContain(name);
  expect(identities.holdersOfProvider("test:///1", "another")).toEqual({ kind: "Present", value: [] });
  stop.abort();
  await running;
});

describe("node c of cluster b, where node b.c of a cluster without a name has the readable name", () => {
  const world = { clock: systemClock, random: Math.random, log: silentLog };
  const copied = async (cluster: ClusterName | undefined, node: string) => {
    const identities = createIdentities(management, world, cluster);
    const stop = new AbortController();
    const running = identities.run(stop.signal);
    await identities.waitForSync(AbortSignal.timeout(10_000));
    const found = identities.find(node);
    const holders = identities.holdersOf("ek-of-b.c", node);
    stop.abort();
    await running;
    const live = await getIdentity(management, { nodeName: node, clusterName: cluster?.name });
    return { found, live, holders };
  };
  const anIdentity = (spec: NodeIdentitySpec): NodeIdentity => ({
    apiVersion: "countersign.dev/v1alpha1",
    kind: "NodeIdentity",
    metadata: { labels: { [EK_LABEL]: "ek-of-b.c" } },
    spec,
  });
  beforeAll(async () => {
    await createIdentity(management, anIdentity({ nodeName: "b.c" }));
  });

  it("does not see the other's pins, and that the TPM is the other's", async () => {
    const holder = { identity: "b.c", nodeName: undefined };
    expect(await copied({ name: "b" }, "c")).toEqual({
      ...{ found: { kind: "Absent" }, live: { kind: "Absent" } },
      holders: { kind: "Present", value: [holder] },
    });
  });

  it("has an identity of its own, also when the other is gone", async () => {
    const made = await createIdentity(management, anIdentity({ nodeName: "c", clusterName: "b" }));
    expect(made.metadata.name).toMatch(/^sha256\.[a-z2-7]{52}$/);
    const own = { kind: "Present", value: { metadata: { uid: made.metadata.uid } } };
    expect(await copied({ name: "b" }, "c")).toMatchObject({ found: own, live: own });
    expect(await copied(undefined, "b.c")).toMatchObject({
      ...{ found: { value: { spec: { nodeName: "b.c" } } }, live: { value: { metadata: { name: "b.c" } } } },
    });
    await expect(createIdentity(management, anIdentity({ nodeName: "c", clusterName: "b" }))).rejects.toMatchObject({
      code: "already-exists",
    });
    await management.delete(NODE_IDENTITIES, { name: "b.c" });
    expect(await copied({ name: "b" }, "c")).toMatchObject({ found: own, live: own });
  });

  it("is judged by what somebody wrote by hand under its name without the cluster's", async () => {
    const metadata = { name: "b.d" };
    await management.create(NODE_IDENTITIES, { ...anIdentity({ nodeName: "d", revoked: true }), metadata });
    const revoked = { kind: "Present", value: { spec: { revoked: true } } };
    expect(await copied({ name: "b" }, "d")).toMatchObject({ found: revoked, live: revoked });
  });
});
