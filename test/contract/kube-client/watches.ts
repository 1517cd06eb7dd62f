import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../../../src/api/core/index.ts";
import {
  CONFIG_MAPS,
  INITIAL_EVENTS_END,
  type KubeObject,
  NODES,
  type WatchEvent,
} from "../../../src/api/meta/index.ts";
import type { Stage } from "../kube-client.ts";
import { aConfigMap, aName } from "./objects.ts";

/**
 * Reads until that many events have come (bookmarks apart, unless they end the initial events), then leaves the stream.
 */
async function take<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
  count: number,
  onEvent?: (event: WatchEvent<T>) => Promise<void>,
): Promise<WatchEvent<T>[]> {
  const taken: WatchEvent<T>[] = [];
  for await (const event of events) {
    if (event.type === "BOOKMARK" && !endsInitialEvents(event)) continue;
    taken.push(event);
    await onEvent?.(event);
    if (taken.length === count) return taken;
  }
  return taken;
}

function endsInitialEvents({ object }: WatchEvent): boolean {
  return object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
}

const told = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => (type === "BOOKMARK" ? type : `${type} ${object.metadata.name}`));

export function watchCases(stage: () => Stage): void {
  describe("watch", () => {
    it("tells every change after a list, in order", async () => {
      const { admin, namespace } = stage();
      const app = aName("watched");
      const selection = { namespace, labelSelector: `app=${app}` };
      const { metadata } = await admin.list(CONFIG_MAPS, selection);
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: app, labels: { app } }));
      const updated = await admin.update(CONFIG_MAPS, { ...created, data: { colour: "red" } });
      await admin.delete(CONFIG_MAPS, { name: app, namespace });
      const watch = admin.watch<ConfigMap>(CONFIG_MAPS, { ...selection, resourceVersion: metadata.resourceVersion });
      const events = await take(watch, 3);
      expect(told(events)).toEqual([`ADDED ${app}`, `MODIFIED ${app}`, `DELETED ${app}`]);
      expect([events[0]?.object, events[1]?.object]).toEqual([created, updated]);
      expect(events[2]?.object.data).toEqual({ colour: "red" });
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions).size).toBe(3);
    });

    it("tells changes as they come", async () => {
      const { admin, namespace } = stage();
      const app = aName("live");
      const selection = { namespace, labelSelector: `app=${app}` };
      const { metadata } = await admin.list(CONFIG_MAPS, selection);
      const watch = admin.watch(CONFIG_MAPS, { ...selection, resourceVersion: metadata.resourceVersion });
      const events = watch[Symbol.asyncIterator]();
      for (const number of [1, 2, 3]) {
        const next = events.next();
        const name = `${app}-${number}`;
        await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name, labels: { app } }));
        expect(await next).toMatchObject({ value: { type: "ADDED", object: { metadata: { name } } } });
      }
      await events.return?.();
    });

    it("streams a list: what is there, where that ends, then changes", async () => {
      const { admin, namespace } = stage();
      const app = aName("stream");
      const names = [`${app}-1`, `${app}-2`];
      for (const name of names) await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name, labels: { app } }));
      const watch = admin.watch(CONFIG_MAPS, { namespace, labelSelector: `app=${app}`, sendInitialEvents: true });
      const taken = await take(watch, 4, async (event) => {
        if (endsInitialEvents(event)) await admin.delete(CONFIG_MAPS, { name: `${app}-1`, namespace });
      });
      expect(told(taken)).toEqual([`ADDED ${app}-1`, `ADDED ${app}-2`, "BOOKMARK", `DELETED ${app}-1`]);
      const end = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { resourceVersion: expect.stringMatching(/^[1-9]\d*$/) },
      };
      expect(taken[2]?.object).toMatchObject(end);
    });

    it("streams an empty list too", async () => {
      const { admin, namespace } = stage();
      const selection = { namespace, labelSelector: "app=nobody", sendInitialEvents: true };
      expect(told(await take(admin.watch(CONFIG_MAPS, selection), 1))).toEqual(["BOOKMARK"]);
    });

    it("tells an object that leaves the selection as deleted, and one that enters as added", async () => {
      const { admin, namespace } = stage();
      const app = aName("moving");
      const selection = { namespace, labelSelector: `app=${app}` };
      const { metadata } = await admin.list(CONFIG_MAPS, selection);
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: app, labels: { app } }));
      const away = await admin.update(CONFIG_MAPS, { ...created, metadata: { ...created.metadata, labels: {} } });
      await admin.update(CONFIG_MAPS, { ...away, metadata: { ...away.metadata, labels: { app } } });
      const watch = admin.watch(CONFIG_MAPS, { ...selection, resourceVersion: metadata.resourceVersion });
      const events = await take(watch, 3);
      expect(told(events)).toEqual([`ADDED ${app}`, `DELETED ${app}`, `ADDED ${app}`]);
      expect(events[1]?.object.metadata).toMatchObject({
        labels: { app },
        resourceVersion: away.metadata.resourceVersion,
      });
    });

    it("of one object by its name tells of no other", async () => {
      const { admin, namespace } = stage();
      const name = aName("single");
      const { metadata } = await admin.list(CONFIG_MAPS, { namespace });
      await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name }));
      const fieldSelector = `metadata.name=${name}`;
      const watch = admin.watch(CONFIG_MAPS, { namespace, fieldSelector, resourceVersion: metadata.resourceVersion });
      expect(told(await take(watch, 1))).toEqual([`ADDED ${name}`]);
    });

    it("ends by itself after timeoutSeconds", async () => {
      const { admin, namespace } = stage();
      const { metadata } = await admin.list(CONFIG_MAPS, { namespace });
      const { resourceVersion } = metadata;
      const watch = admin.watch(CONFIG_MAPS, {
        namespace,
        labelSelector: "app=nobody",
        resourceVersion,
        timeoutSeconds: 1,
      });
      expect(await take(watch, 1)).toEqual([]);
    });

    it("fails with expired where the history is gone", async () => {
      const { admin, server } = stage();
      const watch = admin.watch(NODES, { resourceVersion: await server.tooOldResourceVersion() });
      await expect(take(watch, 1)).rejects.toMatchObject({
        code: "expired",
        message: expect.stringMatching(/too old resource version/),
      });
    });

    it("fails with forbidden and unauthorized like a list", async () => {
      const { anonymous, impostor } = stage();
      await expect(take(anonymous.watch(NODES), 1)).rejects.toMatchObject({ code: "forbidden" });
      await expect(take(impostor.watch(NODES), 1)).rejects.toMatchObject({ code: "unauthorized" });
    });

    it("fails with aborted when its signal fires, and with unavailable when the connection breaks", async () => {
      const { remote, wire, namespace } = stage();
      const stop = new AbortController();
      const follow = async (atBookmark: () => void, signal?: AbortSignal) => {
        const options = { namespace, labelSelector: "app=nobody", sendInitialEvents: true, signal };
        for await (const event of remote.watch(CONFIG_MAPS, options)) if (endsInitialEvents(event)) atBookmark();
      };
      await expect(follow(() => stop.abort(), stop.signal)).rejects.toMatchObject({ code: "aborted" });
      await expect(follow(() => wire.cut())).rejects.toMatchObject({ code: "unavailable", retryable: true });
    });
  });
}
