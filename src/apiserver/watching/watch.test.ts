import { afterEach, describe, expect, it } from "vitest";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { type KubeObject, NODES } from "../../api/meta/index.ts";
import { createMemoryStorage } from "../storage/engine.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import type { WatchParameters } from "./beginning.ts";
import type { WatchedEvent } from "./events.ts";
import { createWatch, type Watch } from "./watch.ts";

const node = (name: string, tier = "a"): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { tier } },
});
const create = (storage: Storage, name: string, tier?: string) =>
  storage.create(keyOf(NODES, { name }), node(name, tier));

function setUp(historyChanges = 10_000) {
  const storage = createMemoryStorage({ historyLimits: { changes: historyChanges, characters: 1_000_000 } });
  const clock = createManualClock();
  const watch = (parameters: WatchParameters, matches = (_: KubeObject) => true) => {
    const created = createWatch({
      storage,
      prefix: prefixOf(NODES),
      resource: NODES,
      matches,
      parameters,
      clock,
      random: () => 0,
    });
    watches.push(created);
    return created;
  };
  return { storage, clock, watch };
}

const watches: Watch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

/** Collects what a watch gives; `lines` grows as it comes, `done` resolves at its end. */
function follow(watch: Watch) {
  const lines: string[] = [];
  const done = (async () => {
    for await (const event of watch) lines.push(line(event));
    lines.push("end");
  })();
  return { lines, done };
}

function line(event: WatchedEvent): string {
  if (event.type === "ERROR") return `ERROR ${event.status.code} ${event.status.reason}: ${event.status.message}`;
  const { name, resourceVersion, annotations } = event.content.object.metadata;
  const mark = annotations?.["k8s.io/initial-events-end"] === "true" ? " initial-events-end" : "";
  return `${event.type} ${name ?? "-"}@${resourceVersion}${mark}`;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a watch begins", () => {
  it("with the current objects and a bookmark that closes them, when no revision is given", async () => {
    const { storage, watch } = setUp();
    await create(storage, "b");
    await create(storage, "a");
    const { lines } = follow(watch({ allowWatchBookmarks: true }));
    await create(storage, "c");
    await settle();
    expect(lines).toEqual(["ADDED a@3", "ADDED b@2", "BOOKMARK -@3 initial-events-end", "ADDED c@4"]);
  });

  it("without that bookmark for clients that do not want any", async () => {
    const { storage, watch } = setUp();
    await create(storage, "a");
    const { lines } = follow(watch({ sendInitialEvents: true }));
    await settle();
    expect(lines).toEqual(["ADDED a@2"]);
  });

  it("after a revision, with what history holds and then what comes", async () => {
    const { storage, watch } = setUp();
    for (const name of ["a", "b", "c"]) await create(storage, name);
    const { lines } = follow(watch({ resourceVersion: 2, allowWatchBookmarks: true }));
    await storage.delete(keyOf(NODES, { name: "a" }), 2);
    await settle();
    expect(lines).toEqual(["ADDED b@3", "ADDED c@4", "DELETED a@5"]);
  });

  it("now, when the client wants no initial events", async () => {
    const { storage, watch } = setUp();
    await create(storage, "a");
    const { lines } = follow(watch({ sendInitialEvents: false }));
    await create(storage, "b");
    await settle();
    expect(lines).toEqual(["ADDED b@3"]);
  });

  it("with an ERROR when history does not reach back, and ends", async () => {
    const { storage, watch } = setUp(2);
    for (const name of ["a", "b", "c", "d"]) await create(storage, name);
    const { lines, done } = follow(watch({ resourceVersion: 1 }));
    await done;
    expect(lines).toEqual(["ERROR 410 Expired: too old resource version: 1 (3)", "end"]);
  });

  it("silently at a future revision, with neither changes nor bookmarks below it", async () => {
    const { storage, clock, watch } = setUp();
    const { lines } = follow(watch({ resourceVersion: 3, allowWatchBookmarks: true }));
    await clock.advance(61_000);
    for (const name of ["a", "b", "c"]) await create(storage, name);
    await settle();
    expect(lines).toEqual(["ADDED c@4"]);
    await clock.advance(60_000);
    expect(lines).toEqual(["ADDED c@4", "BOOKMARK -@4"]);
  });
});

describe("a streaming list of a state that is yet to come", () => {
  const parameters = { resourceVersion: 3, sendInitialEvents: true, allowWatchBookmarks: true };

  it("waits for it", async () => {
    const { storage, watch } = setUp();
    const { lines } = follow(watch(parameters));
    await create(storage, "a");
    await settle();
    expect(lines).toEqual([]);
    await create(storage, "b");
    await settle();
    expect(lines).toEqual(["ADDED a@2", "ADDED b@3", "BOOKMARK -@3 initial-events-end"]);
  });

  it("gives up after three seconds with the ERROR that clients know", async () => {
    const { clock, watch } = setUp();
    const events: WatchedEvent[] = [];
    const done = (async () => {
      for await (const event of watch(parameters)) events.push(event);
    })();
    await clock.advance(3_000);
    await done;
    expect(events).toEqual([
      {
        type: "ERROR",
        status: {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          message: "Timeout: Too large resource version: 3, current: 1",
          reason: "Timeout",
          details: {
            causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
            retryAfterSeconds: 1,
          },
          code: 504,
        },
      },
    ]);
  });

  it("stops waiting when it is closed", async () => {
    const { clock, watch } = setUp();
    const waiting = watch(parameters);
    const { lines, done } = follow(waiting);
    await clock.untilSleeping();
    waiting.close();
    await done;
    await settle();
    expect(lines).toEqual(["end"]);
    expect(clock.pending()).toEqual([]);
  });
});

describe("a watch with a selector", () => {
  it("sees objects come and go as they start and stop to match, in history and live", async () => {
    const { storage, watch } = setUp();
    const key = keyOf(NODES, { name: "n" });
    await create(storage, "n", "b");
    await storage.update(key, node("n", "a"), 2);
    const inTierA = (object: KubeObject) => object.metadata.labels?.["tier"] === "a";
    const { lines } = follow(watch({ resourceVersion: 1 }, inTierA));
    await storage.update(key, node("n", "a"), 3);
    await storage.update(key, node("n", "b"), 4);
    await storage.delete(key, 5);
    await settle();
    expect(lines).toEqual(["ADDED n@3", "MODIFIED n@4", "DELETED n@5"]);
  });
});

describe("a watch ends", () => {
  it("at its timeout, after a bookmark every minute and one two seconds before", async () => {
    const { storage, clock, watch } = setUp();
    const { lines, done } = follow(watch({ resourceVersion: 1, allowWatchBookmarks: true, timeoutSeconds: 130 }));
    await clock.advance(60_000);
    await create(storage, "a");
    await storage.create("//secrets/x/other", node("other"));
    await clock.advance(70_000);
    await done;
    expect(lines).toEqual(["BOOKMARK -@1", "ADDED a@2", "BOOKMARK -@3", "BOOKMARK -@3", "end"]);
    expect(clock.pending()).toEqual([]);
  });

  it("after half an hour or more by itself, without bookmarks for those who want none", async () => {
    const { clock, watch } = setUp();
    const { lines, done } = follow(watch({ resourceVersion: 1 }));
    await clock.advance(1_799_000);
    expect(lines).toEqual([]);
    await clock.advance(1_000);
    await done;
    expect(lines).toEqual(["end"]);
  });

  it("when its reader leaves, and holds on to nothing", async () => {
    const { storage, clock, watch } = setUp();
    await create(storage, "a");
    for await (const event of watch({})) {
      expect(line(event)).toBe("ADDED a@2");
      break;
    }
    expect(clock.pending()).toEqual([]);
  });

  it("at once when it is closed", async () => {
    const { storage, watch } = setUp();
    const closing = watch({});
    await create(storage, "a");
    closing.close();
    const { lines, done } = follow(closing);
    await done;
    expect(lines).toEqual(["end"]);
    expect(closing.abandoned.aborted).toBe(false);
  });
});

describe("a slow reader", () => {
  it("is given up when more than the bound waits for it, and gets nothing of what was dropped", async () => {
    const { storage, watch } = setUp();
    const slow = watch({ resourceVersion: 1 });
    const reader = slow[Symbol.asyncIterator]();
    await create(storage, "first");
    await reader.next();
    for (let n = 0; n < 1_024; n++) await create(storage, `n${n}`);
    expect(slow.abandoned.aborted).toBe(false);
    await create(storage, "one-too-many");
    expect(slow.abandoned.aborted).toBe(true);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("may take its time over a long history, which is not queued for it", async () => {
    const { storage, watch } = setUp();
    for (let n = 0; n < 2_000; n++) await create(storage, `n${n}`);
    for (const parameters of [{ resourceVersion: 1 }, {}]) {
      const { lines } = follow(watch(parameters));
      await settle();
      expect(lines).toHaveLength(2_000);
    }
  });

  it("is given up when it takes nothing for a minute although something waits", async () => {
    const { storage, clock, watch } = setUp();
    await create(storage, "a");
    const stalled = watch({});
    await clock.advance(120_000);
    expect(stalled.abandoned.aborted).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  it("is given up some seconds after the deadline when it has not read to the end", async () => {
    const { storage, clock, watch } = setUp();
    await create(storage, "a");
    const stalled = watch({ timeoutSeconds: 10 });
    await clock.advance(14_000);
    expect(stalled.abandoned.aborted).toBe(false);
    await clock.advance(1_000);
    expect(stalled.abandoned.aborted).toBe(true);
  });

  it("is not confused with a quiet watch", async () => {
    const { clock, watch } = setUp();
    const quiet = watch({});
    follow(quiet);
    await clock.advance(1_000_000);
    expect(quiet.abandoned.aborted).toBe(false);
  });
});
