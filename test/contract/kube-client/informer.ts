import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CONFIG_MAPS, type KubeObject } from "../../../src/api/meta/index.ts";
import { type Clock, systemClock } from "../../../src/platform/clock/index.ts";
import { createInformer, type Informer, type KubeClient } from "../../../src/platform/kube/index.ts";
import { type Log, silentLog } from "../../../src/platform/report/index.ts";
import type { Stage } from "../kube-client.ts";
import { aConfigMap, aName } from "./objects.ts";

/** The waits between attempts are a hundredth of the real ones. */
const hastyClock: Clock = {
  now: () => systemClock.now() * 100,
  sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
};

interface Followed {
  readonly informer: Informer;
  readonly changes: string[];
  stop(): Promise<void>;
}

async function follow(client: KubeClient, namespace: string, app: string): Promise<Followed> {
  const stop = new AbortController();
  const informer = createInformer<KubeObject>(client, CONFIG_MAPS, {
    namespace,
    labelSelector: `app=${app}`,
    clock: hastyClock,
    random: Math.random,
    log: silentLog,
  });
  const changes: string[] = [];
  informer.onChange(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
  const running = informer.run(stop.signal);
  await informer.waitForSync();
  return {
    informer,
    changes,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

/** What an informer keeps when it is not told otherwise. */
function kept<T extends KubeObject>(object: T): T {
  const { managedFields: _left, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function informerCases(stage: () => Stage): void {
  describe("informer", () => {
    it("holds what is there and follows what changes", async () => {
      const { admin, namespace } = stage();
      const app = aName("followed");
      const labels = { app };
      const first = await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: `${app}-1`, labels }));
      const { informer, changes, stop } = await follow(admin, namespace, app);
      expect(informer.list()).toEqual([kept(first)]);
      await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: `${app}-2`, labels }));
      const updated = await admin.update(CONFIG_MAPS, { ...first, data: { colour: "red" } });
      await admin.delete(CONFIG_MAPS, { name: `${app}-2`, namespace });
      await until(() => changes.length === 4);
      expect(changes).toEqual([`ADDED ${app}-1`, `ADDED ${app}-2`, `MODIFIED ${app}-1`, `DELETED ${app}-2`]);
      expect(informer.list()).toEqual([kept(updated)]);
      expect(informer.get(`${app}-1`, namespace)).toEqual(kept(updated));
      await stop();
    });

    it("leaves managedFields out, and what is written back without them keeps its owners", async () => {
      const { admin, namespace } = stage();
      const app = aName("owned");
      const first = await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: app, labels: { app } }));
      const { informer, stop } = await follow(admin, namespace, app);
      const held = informer.get(app, namespace) ?? first;
      expect([first.metadata.managedFields?.length, held.metadata.managedFields]).toEqual([1, undefined]);
      const written = await admin.update(CONFIG_MAPS, held);
      expect(written.metadata.managedFields).toMatchObject([{ manager: "countersign", operation: "Update" }]);
      await stop();
    });

    it("misses nothing while its connections break again and again", async () => {
      const { admin, remote, wire, namespace } = stage();
      const app = aName("broken");
      const { informer, changes, stop } = await follow(remote, namespace, app);
      const count = 30;
      for (let number = 0; number < count; number++) {
        const name = `${app}-${String(number).padStart(2, "0")}`;
        await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name, labels: { app } }));
        if (number % 5 === 4) wire.cut();
      }
      await until(() => informer.list().length === count);
      expect(new Set(changes).size).toBe(changes.length);
      expect(changes).toHaveLength(count);
      await stop();
    });

    it("comes back after an outage with what happened in it", async () => {
      const { admin, remote, wire, namespace } = stage();
      const app = aName("outage");
      const labels = { app };
      await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: `${app}-1`, labels }));
      const { informer, changes, stop } = await follow(remote, namespace, app);
      wire.takeAway();
      await admin.delete(CONFIG_MAPS, { name: `${app}-1`, namespace });
      await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: `${app}-2`, labels }));
      await delay(100);
      expect([informer.hasSynced(), informer.list().length]).toEqual([true, 1]);
      wire.giveBack();
      await until(() => changes.length === 3);
      expect(changes).toEqual([`ADDED ${app}-1`, `DELETED ${app}-1`, `ADDED ${app}-2`]);
      await stop();
    });

    it("waits for a server that is not there yet, and ends when told to", async () => {
      const { remote, wire, namespace } = stage();
      wire.takeAway();
      const following = follow(remote, namespace, aName("patient"));
      await delay(50);
      wire.giveBack();
      const { informer, stop } = await following;
      expect(informer.hasSynced()).toBe(true);
      await stop();
    });

    it("that may not list keeps trying and never syncs", async () => {
      const { anonymous, namespace } = stage();
      const stop = new AbortController();
      const options = { namespace, clock: hastyClock, random: Math.random, log: silentLog };
      const refusals: string[] = [];
      const log: Log = { ...silentLog, child: () => log, warn: (message: string) => void refusals.push(message) };
      const informer = createInformer(anonymous, CONFIG_MAPS, { ...options, log });
      const running = informer.run(stop.signal);
      while (refusals.length < 3) await delay(5);
      expect(informer.hasSynced()).toBe(false);
      stop.abort();
      await running;
    });
  });
}
