// Kinds that come later, on an API server that serves none at first.

import { afterEach, describe, expect, it } from "vitest";
import { machineDefinition } from "../../../test/builders/machine-definition.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { CAPI_MACHINES_V1BETA1, CAPI_MACHINES_V1BETA2 } from "../../api/foreign/machine.ts";
import type { KubeObject, Resource } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type Clock, systemClock } from "../../platform/clock/index.ts";
import { createInformer, createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { type Log, silentLog } from "../../platform/report/index.ts";
import { createFollower } from "./follower.ts";

const DEFINITIONS: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function aClient(): Promise<KubeClient> {
  const server = await startTestApiServer();
  const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
  const client = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
  ends.push(server.close, client.close);
  return client;
}

/** Whose waits are hundredths of what they should be. */
const impatientClock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) };

function follow(client: KubeClient, more: { readonly clock?: Clock; readonly log?: Log } = {}) {
  const world = { clock: systemClock, random: () => 0, log: silentLog, ...more };
  const follower = createFollower<KubeObject>({
    ...world,
    client,
    candidates: [CAPI_MACHINES_V1BETA2, CAPI_MACHINES_V1BETA1],
    createInformer: (resource) => createInformer(client, resource, world),
    lookAgainMs: 20,
  });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  ends.push(() => {
    stop.abort();
    return running;
  });
  return follower;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await systemClock.sleep(10);
}

const machine = (name: string): KubeObject => ({
  apiVersion: "cluster.x-k8s.io/v1beta1",
  kind: "Machine",
  metadata: { name, namespace: "default" },
});

describe("a kind that may not be served", () => {
  it("is known to be absent, then followed when it appears, in the better version when that appears", async () => {
    const client = await aClient();
    const follower = follow(client);
    const seen: string[] = [];
    follower.onChange(({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
    await follower.waitForSync();
    expect(follower.informer()).toBeUndefined();

    await client.create(DEFINITIONS, machineDefinition("cluster.x-k8s.io", ["v1beta1"]));
    await client.create(CAPI_MACHINES_V1BETA1, machine("a"));
    await until(() => seen.includes("ADDED a"));
    const first = follower.informer();

    const patch = machineDefinition("cluster.x-k8s.io", ["v1beta1", "v1beta2"]) as unknown as { spec: object };
    await client.patch(DEFINITIONS, { name: "machines.cluster.x-k8s.io" }, { spec: patch.spec }, { type: "merge" });
    await until(() => follower.informer() !== first && follower.hasSynced());
    expect(follower.informer()?.get("a", "default")?.apiVersion).toBe("cluster.x-k8s.io/v1beta2");
    expect(seen).not.toContain("DELETED a");
  });

  it("is unknown while discovery fails: nothing may be concluded from that", async () => {
    const client = await aClient();
    let isAway = true;
    const follower = follow({
      ...client,
      raw: async (...call) => {
        if (isAway) throw new Fault("unavailable", "no connection");
        return client.raw(...call);
      },
    });
    await systemClock.sleep(30);
    expect(follower.hasSynced()).toBe(false);
    await expect(follower.waitForSync(AbortSignal.timeout(20))).rejects.toMatchObject({ code: "aborted" });
    isAway = false;
    await follower.waitForSync();
    expect(follower.hasSynced()).toBe(true);
  });

  it("that nobody may ask for is unknown too, and said once", async () => {
    const warnings: unknown[] = [];
    let looks = 0;
    const raw = async () => {
      looks++;
      return { status: 403, body: Buffer.from("<html>sign in first</html>") };
    };
    const log = { ...silentLog, warn: (_: string, fields?: object) => warnings.push(fields) };
    const follower = follow({ raw } as unknown as KubeClient, { log, clock: impatientClock });
    await until(() => looks > 2);
    expect(follower.hasSynced()).toBe(false);
    expect(warnings).toMatchObject([{ error: { code: "forbidden" } }]);
  });
});
