import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poolDefinition } from "../../../test/builders/machine-definition.ts";
import { eventually } from "../../../test/contract/controller-stage.ts";
import { define } from "../../../test/contract/definitions.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { type Machine, readMachinePool } from "../../api/foreign/index.ts";
import { CAPI_MACHINE_POOLS_V1BETA2 } from "../../api/foreign/machine-pool.ts";
import type { KubeObject } from "../../api/meta/index.ts";
import type { Seen } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createMachinePools, expectMachines, type MachinePools, type Machines } from "./index.ts";

function aPool(name: string, providerIDList: readonly string[], clusterName = "one"): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachinePool",
    metadata: { name, namespace: "default" },
    spec: { clusterName, providerIDList, template: { spec: { bootstrap: { dataSecretName: "s" } } } },
  } as KubeObject;
}

const ids = (seen: Seen<readonly Machine[]>) =>
  seen.kind === "Present" ? seen.value.map(({ name, providerId }) => `${name} ${providerId}`) : seen.kind;

describe("readMachinePool", () => {
  it("tells members by provider ID, with the pool's name and cluster", () => {
    const pool = readMachinePool(aPool("p", ["aws:///i-1", "aws:///i-2"]));
    expect(pool).toMatchObject({
      providerIds: ["aws:///i-1", "aws:///i-2"],
      nodes: 0,
      machine: { name: "p", clusterName: "one", isPoolMember: true, isBootstrapReady: true },
    });
  });

  it("leaves out what is of another type: the object is a stranger's", () => {
    const odd = { ...aPool("p", []), spec: { providerIDList: [1, "", "x"] }, status: { nodeRefs: "y" } } as KubeObject;
    expect(readMachinePool(odd)).toMatchObject({ providerIds: ["x"], nodes: 0, machine: { isBootstrapReady: false } });
  });
});

describe("the MachinePools of a cluster", () => {
  let server: TestApiServer;
  let admin: KubeClient;
  let pools: MachinePools;
  const stop = new AbortController();
  let running: Promise<void>;
  const changed: string[] = [];

  beforeAll(async () => {
    server = await startTestApiServer();
    const { url, caPem, adminCertPem, adminKeyPem } = server;
    const credentials = () => ({ certPem: adminCertPem, keyPem: adminKeyPem });
    admin = createKubeClient({ server: url, caPem, credentials });
    await define(admin, poolDefinition(["v1beta2"]), CAPI_MACHINE_POOLS_V1BETA2);
    pools = createMachinePools(admin, { clock: systemClock, random: () => 0, log: silentLog }, { name: "one" });
    pools.onChange((keys) => changed.push(...keys));
    expect(ids(pools.byProviderId("x", {} as never))).toBe("NotRead");
    running = pools.run(stop.signal);
    await pools.waitForSync(AbortSignal.timeout(5_000));
  });
  afterAll(async () => {
    stop.abort();
    await running;
    await admin.close();
    await server.close();
  });

  const scope = { clusterName: undefined, namespace: undefined };
  const asked = (providerId: string) => ids(pools.byProviderId(providerId, scope));

  it("have their members, and none of another cluster's", async () => {
    expect(asked("aws:///i-1")).toBe("Absent");
    await admin.create(CAPI_MACHINE_POOLS_V1BETA2, aPool("mine", ["aws:///i-1"]));
    await admin.create(CAPI_MACHINE_POOLS_V1BETA2, aPool("theirs", ["aws:///i-9"], "two"));
    const found = await eventually(
      "the pool",
      async () => pools.byProviderId("aws:///i-1", scope),
      ({ kind }) => kind === "Present",
    );
    expect(ids(found)).toEqual(["mine aws:///i-1"]);
    await eventually(
      "the other pool",
      async () => changed.length,
      (count) => count >= 2,
    );
    expect(asked("aws:///i-9")).toEqual([]);
    expect(pools.countAwaiting()).toBe(1);
    expect(pools.countAll()).toBe(1);
  });

  it("lose a member that leaves", async () => {
    const uid =
      (await admin.get(CAPI_MACHINE_POOLS_V1BETA2, { name: "mine", namespace: "default" })).metadata.uid ?? "";
    expect(pools.has(uid, "aws:///i-1")).toBe(true);
    const target = { name: "mine", namespace: "default" };
    await admin.patch(
      CAPI_MACHINE_POOLS_V1BETA2,
      target,
      { spec: { providerIDList: ["aws:///i-2"] } },
      { type: "merge" },
    );
    await eventually(
      "the member to be gone",
      async () => pools.has(uid, "aws:///i-1"),
      (has) => !has,
    );
    expect(pools.has(uid, "aws:///i-2")).toBe(true);
    expect(asked("aws:///i-1")).toEqual([]);
  });
});

describe("Machines and pools together", () => {
  const machine = { name: "m", uid: "m", providerId: "x" } as Machine;
  const member = { name: "p", uid: "p", providerId: "x", isPoolMember: true } as Machine;
  const present = (...value: readonly Machine[]): Seen<readonly Machine[]> => ({ kind: "Present", value });
  const absent = { kind: "Absent" } as const;
  const unread = { kind: "NotRead", why: "not yet" } as const;

  it.each<[string, Seen<readonly Machine[]>, Seen<readonly Machine[]>, string | readonly string[]]>([
    ["a Machine before its pool", present(machine), present(member), ["m x"]],
    ["a pool where no Machine has the instance", present(), present(member), ["p x"]],
    ["a pool in a cluster without Machines", absent, present(member), ["p x"]],
    ["nobody where neither has it", present(), present(), []],
    ["no pools at all", present(), absent, []],
    ["neither Machines nor pools", absent, absent, "Absent"],
    ["Machines that are not read yet", unread, present(member), "NotRead"],
    ["pools that are not read yet", absent, unread, "NotRead"],
  ])("answer %s", (_, own, pooled, expected) => {
    const both = expectMachines(
      { byProviderId: () => own, places: () => ["default/one"] } as unknown as Machines,
      { byProviderId: () => pooled, places: () => ["default/one"] } as unknown as MachinePools,
    );
    expect(ids(both.byProviderId("x", {} as never))).toEqual(expected);
  });

  it.each<[string, string, object, string | readonly string[]]>([
    ["nobody of another cluster's, where nobody said which this one is", "default/two", {}, "NotRead"],
    [
      "nobody of another namespace's, where two have the cluster's name",
      "other/one",
      { clusterName: "one" },
      "NotRead",
    ],
    ["those of the cluster that was said", "default/two", { clusterName: "one" }, ["m x"]],
    ["those of the namespace that was said", "other/one", { namespace: "default" }, ["m x"]],
    ["those of the one cluster, beside Machines that name none", "default/", {}, ["m x"]],
  ])("answer %s", (_, pooled, scope, expected) => {
    const both = expectMachines(
      { byProviderId: () => present(machine), places: () => ["default/one"] } as unknown as Machines,
      { byProviderId: () => absent, places: () => [pooled] } as unknown as MachinePools,
    );
    expect(ids(both.byProviderId("x", scope as never))).toEqual(expected);
  });
});
