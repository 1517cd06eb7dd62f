// The Machines of several clusters in one management cluster, on the embedded API server: found by provider ID, and
// read again where a copy is not enough.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { machineDefinition } from "../../../test/builders/machine-definition.ts";
import { eventually } from "../../../test/contract/controller-stage.ts";
import { define } from "../../../test/contract/definitions.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import type { Machine } from "../../api/foreign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../api/foreign/machine.ts";
import { NAMESPACES } from "../../api/meta/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createMachines, type Machines } from "./index.ts";

let server: TestApiServer;
let admin: KubeClient;
let machines: Machines;
let running: Promise<void>;
const stop = new AbortController();

async function create(namespace: string, name: string, clusterName?: string): Promise<void> {
  const spec = { providerID: `test:///${name}`, ...(clusterName === undefined ? {} : { clusterName }) };
  const metadata = { name, namespace };
  const machine = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", metadata, spec };
  await admin.create(CAPI_MACHINES_V1BETA2, machine as never);
}

beforeAll(async () => {
  server = await startTestApiServer();
  const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
  admin = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
  await define(admin, machineDefinition("cluster.x-k8s.io", ["v1beta2"]), CAPI_MACHINES_V1BETA2);
  await admin.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet" } });
  await create("default", "a", "one");
  await create("fleet", "b", "two");
  await create("fleet", "c");
  machines = createMachines(admin, { clock: systemClock, random: () => 0, log: silentLog });
  running = machines.run(stop.signal);
  await machines.waitForSync(AbortSignal.timeout(5_000));
});
afterAll(async () => {
  stop.abort();
  await running;
  await admin.close();
  await server.close();
});

describe("Machines by provider ID", () => {
  const asked = (providerId: string, clusterName?: string, namespace?: string) => {
    const seen = machines.byProviderId(providerId, { clusterName, namespace });
    return seen.kind === "Present" ? seen.value.map(({ name }) => name) : seen.kind;
  };

  it.each<[string, Parameters<typeof asked>, string | readonly string[]]>([
    ["anywhere", ["test:///a"], ["a"]],
    ["of another cluster", ["test:///b", "one"], []],
    ["of its own cluster", ["test:///b", "two"], ["b"]],
    ["of its namespace, without a cluster's name", ["test:///c", undefined, "fleet"], ["c"]],
    ["of no cluster's name, where one is asked for", ["test:///c", "two"], []],
    ["of a cluster that has none", ["test:///a", "three"], "Absent"],
    ["of a namespace that has none", ["test:///a", undefined, "empty"], "Absent"],
    ["of a cluster of another namespace", ["test:///a", "one", "fleet"], "Absent"],
  ])("%s", (_, query, expected) => expect(asked(...query)).toEqual(expected));
});

describe("a Machine, read again", () => {
  const copied = async (providerId: string): Promise<Machine> => {
    const find = async () => machines.byProviderId(providerId, { clusterName: undefined, namespace: undefined });
    const seen = await eventually("the Machine", find, (now) => now.kind === "Present" && now.value.length === 1);
    const [machine] = seen.kind === "Present" ? seen.value : [];
    if (machine === undefined) throw new Error("no Machine");
    return machine;
  };
  const again = (machine: Machine) => machines.getLive(machine, AbortSignal.timeout(5_000));
  const target = { name: "d", namespace: "default" };

  it("is what the server has at that moment, and gone where it is another", async () => {
    await create("default", "d", "one");
    const machine = await copied("test:///d");
    expect(await again(machine)).toEqual(machine);
    await admin.patch(
      CAPI_MACHINES_V1BETA2,
      { ...target, subresource: "status" },
      { status: { nodeRef: { name: "x" } } },
      { type: "merge" },
    );
    expect(await again(machine)).toMatchObject({ nodeName: "x" });
    await admin.patch(CAPI_MACHINES_V1BETA2, target, { spec: { providerID: "test:///e" } }, { type: "merge" });
    expect(await again(machine)).toBeUndefined();
    await admin.delete(CAPI_MACHINES_V1BETA2, target);
    expect(await again(machine)).toBeUndefined();
    await create("default", "d", "one");
    expect(await again(machine)).toBeUndefined();
  });
});
