// NodeIdentities of several clusters in one home, on the embedded API server.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { define, loadDefinitions } from "../../../../test/contract/definitions.ts";
import { startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import {
  EK_LABEL,
  type IdentityPhase,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";
import { systemClock } from "../../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../../platform/kube/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import { createIdentities, isLive } from "./identities.ts";

let server: TestApiServer;
let home: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
  home = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
  for (const definition of await loadDefinitions()) {
    if (definition.metadata.name?.startsWith("nodeidentities") === true)
      await define(home, definition, NODE_IDENTITIES);
  }
  for (const clusterName of ["east", "west", undefined]) {
    const made = await home.create<NodeIdentity>(NODE_IDENTITIES, {
      apiVersion: "countersign.dev/v1alpha1",
      kind: "NodeIdentity",
      metadata: { name: identityName("worker-1", clusterName), labels: { [EK_LABEL]: "ek" } },
      spec: { nodeName: "worker-1", ...(clusterName === undefined ? {} : { clusterName }) },
    });
    const machine = { namespace: "fleet", name: "m", uid: "u" };
    const status = { attestedAt: new Date().toISOString(), providerId: "test:///1", machine };
    await home.update<NodeIdentity>(NODE_IDENTITIES, { ...made, status }, { subresource: "status" });
  }
});
afterAll(async () => {
  await home.close();
  await server.close();
});

it.each(["east", undefined])(
  "those of cluster %s are kept up by its controller, and no others",
  async (clusterName) => {
    const world = { clock: systemClock, random: Math.random, log: silentLog };
    const identities = createIdentities(home, world, clusterName === undefined ? undefined : { name: clusterName });
    const stop = new AbortController();
    const running = identities.run(stop.signal);
    await identities.waitForSync(AbortSignal.timeout(10_000));
    expect(identities.list().map(({ spec }) => spec.clusterName)).toEqual([clusterName]);
    expect(identities.find("worker-1")).toMatchObject({ kind: "Present" });
    expect(identities.countYoung(Date.now())).toBe(1);
    const own = identityName("worker-1", clusterName);
    expect(identities.holdersOfProvider("test:///1", own)).toEqual({ kind: "Present", value: [] });
    expect(identities.holdersOfProvider("test:///1", "another")).toEqual({ kind: "Present", value: ["worker-1"] });
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
    const identities = createIdentities(home, world, { name: "east", namespace });
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
  const identities = createIdentities(home, world, { name: "east" });
  const stop = new AbortController();
  const running = identities.run(stop.signal);
  await identities.waitForSync(AbortSignal.timeout(10_000));
  const name = identityName("worker-1", "east");
  const spec = { retired: true };
  identities.observe(await home.patch<NodeIdentity>(NODE_IDENTITIES, { name }, { spec }, { type: "merge" }));
  const holders = identities.holdersOf("ek", "another");
  expect(holders.kind === "Present" && holders.value.map(({ identity }) => identity)).not.toContain(name);
  expect(identities.holdersOfProvider("test:///1", "another")).toEqual({ kind: "Present", value: [] });
  stop.abort();
  await running;
});
